import { sampleDrawing, sampleSigner } from "@rubrica/test-kit";

/** How a program comes to the client, and to what it uses beside. */
type Imports = "esm" | "cjs";

const needed = {
  "@rubrica/client": ["createRubricaClient", "verifyWebhook", "WebhookVerificationError"],
  "node:events": ["once"],
  "node:fs": ["readFileSync"],
  "node:http": ["createServer"],
  "node:stream/consumers": ["buffer"],
};

const importsOf = (kind: Imports): string =>
  Object.entries(needed)
    .map(([from, names]) =>
      kind === "esm"
        ? `import { ${names.join(", ")} } from "${from}";`
        : `const { ${names.join(", ")} } = require("${from}");`,
    )
    .join("\n");

/**
 * A program, as JavaScript and TypeScript at once, that asks for a document, signs it, is called back, and prints what
 * came of each as JSON.
 */
export const program = (kind: Imports): string => `${importsOf(kind)}

const { RUBRICA_URL: url = "", RUBRICA_API_KEY: apiKey = "", RUBRICA_WEBHOOK_SECRET: secret = "", PDF = "" } = process.env;

const faultOf = (verify = () => {}) => {
  try {
    verify();
    return "none";
  } catch (error) {
    return error instanceof WebhookVerificationError ? error.code : String(error);
  }
};

const main = async () => {
  const receiver = createServer().listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const address = receiver.address();
  const port = typeof address === "object" ? address?.port : 0;
  const called = once(receiver, "request");

  const rubrica = createRubricaClient({ url, apiKey });
  const body = {
    document: readFileSync(PDF).toString("base64"),
    datos_firmantes: [${JSON.stringify(sampleSigner(1))}],
    webhook_url: "http://127.0.0.1:" + port,
  };
  const stranger = await createRubricaClient({ url, apiKey: "of-nobody" }).POST("/api/v2/documentSet", { body });
  const asked = await rubrica.POST("/api/v2/documentSet", { body });
  if (!asked.data) throw new Error(JSON.stringify(asked.error));
  const token = new URL(asked.data.urls[0]?.link ?? "").pathname.replace("/s/", "");
  const overview = await rubrica.GET("/api/signing/{token}", { params: { path: { token } } });
  const signed = await rubrica.POST("/api/signing/{token}/sign", {
    params: { path: { token } },
    body: {
      garabato: ${JSON.stringify(sampleDrawing)},
      consent_version: overview.data?.consent.version ?? "",
      document_sha256: overview.data?.document_sha256 ?? "",
    },
  });

  const [request, response] = await called;
  const bytes = await buffer(request);
  const webhook = verifyWebhook(request.headers, bytes, secret);
  const forged = faultOf(() => verifyWebhook(request.headers, bytes.toString().replace("true", "false"), secret));
  response.writeHead(204).end();
  receiver.close();
  receiver.closeAllConnections();
  console.log(
    JSON.stringify({
      signed: signed.data,
      refused: [stranger.response.status, stranger.error],
      webhook: { type: webhook.type, isItsOwn: webhook.data.id_seguimiento === asked.data.id_seguimiento },
      forged,
    }),
  );
};

main();
`;

/** TypeScript that holds the client's types to what they are. */
export const types = (kind: Imports): string => `${importsOf(kind).split("\n")[0]}

export const compiled = async (rubrica: ReturnType<typeof createRubricaClient>) => {
  // @ts-expect-error: signers are required
  await rubrica.POST("/api/v2/documentSet", { body: { document: "?" } });
  // @ts-expect-error: there is no such address
  await rubrica.GET("/api/v2/nothing");
  // @ts-expect-error: there is no such webhook
  verifyWebhook({}, "", "").type === "nothing";
  const webhook = verifyWebhook({}, "", "");
  if (webhook.type === "msg") webhook.data.contact satisfies string;
  // @ts-expect-error: whom it did not reach is told by msg alone
  else webhook.data.contact;
  const { data } = await rubrica.GET("/api/v2/signatureStatus/{id_seguimiento}", {
    params: { path: { id_seguimiento: "" } },
  });
  return data?.is_finished satisfies boolean | undefined;
};
`;
