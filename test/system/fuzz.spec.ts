import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createSecrets, publicFileTokens } from "@rubrica/secrets";
import {
  eventually,
  type RubricaClient,
  rubricaClient,
  type ServiceProcess,
  sampleDrawing,
  samplePdf,
  sampleSigner,
  startServiceProcess,
  temporaryFolder,
  toolsMissing,
} from "@rubrica/test-kit";
import { docxOf, paragraph } from "@rubrica/test-kit/docx";
import { expect, test } from "vitest";

const SECRET = "0123456789abcdef0123456789abcdef";
/** It asks some 4,000 times; a machine that does much else takes its time. */
const MAX_MS = 900_000;
/** Of what schemathesis prints when it finds something, in characters. */
const MAX_SHOWN = 20_000;
/** Takes a photo, which no description can show: it is sent before the fuzzing starts. */
const UNSHOWN = ["POST /api/signing/{token}/photos/{kind}"];

/** Answers of 5xx are judged here: a service that has too much to do for a moment says when to come again. */
const checks = [
  "status_code_conformance",
  "content_type_conformance",
  "response_schema_conformance",
  "negative_data_rejection",
  "ignored_auth",
];

interface Operation {
  parameters?: { name: string; in: string; schema: object; example?: unknown }[];
  requestBody?: { content: Record<string, { example?: unknown }> };
}
interface Description {
  paths: Record<string, Record<string, Operation>>;
}
interface Exchange {
  request: { method: string; url: string };
  response: { status: number; headers: { name: string }[] };
}

const tokenOf = (link: string) => new URL(link).pathname.replace("/s/", "");

/** Asks for a document of one signer, whose phone is no other's; its receiver is one that nobody finds. */
const asker = async (client: RubricaClient) => {
  const pdf = await samplePdf();
  let number = 0;
  return async () => {
    number += 1;
    const webhook = { webhook_url: "https://receiver.invalid/" };
    const { id_seguimiento: id, urls } = await client.requestDocument(pdf, [sampleSigner(number)], webhook);
    const { link = "", id_custom = "" } = urls[0] ?? {};
    return { id, id_custom, link, token: tokenOf(link) };
  };
};

/** Where a photo is that its signer sent. */
const sentPhoto = async (client: RubricaClient) => {
  const photos = { request_photos: true, validate_photos: false };
  const asked = await client.requestDocument(await samplePdf(), [sampleSigner(100)], photos);
  const [signer] = asked.urls;
  const image = Buffer.from(sampleDrawing.replace(/^.*,/, ""), "base64");
  const path = `/api/signing/${tokenOf(signer?.link ?? "")}/photos/selfie`;
  expect((await client.send("POST", path, image, { "content-type": "image/png" })).status).toBe(200);
  return { id_seguimiento: asked.id_seguimiento, id_custom: signer?.id_custom ?? "", kind: "selfie", attempt: "1" };
};

/** A document's first webhook, once it was attempted. */
const attemptedWebhook = async (client: RubricaClient, documentId: string): Promise<string> => {
  const first = async () => {
    const answer = await client.read(`/api/v2/documents/${documentId}/webhooks`);
    const [webhook] = answer.json<{ webhooks: { webhook_id: string; attempts: unknown[] }[] }>().webhooks;
    return webhook && webhook.attempts.length > 0 ? webhook.webhook_id : undefined;
  };
  return eventually("a webhook to be attempted", first);
};

/** What makes each operation answer 200: the values of its path, and its body where the one that is shown does not. */
const liveExamples = async (client: RubricaClient) => {
  const ask = await asker(client);
  const [signed, read, toSign, toReject] = [await ask(), await ask(), await ask(), await ask()];
  const [open, toCorrect] = [await ask(), await ask()];
  await client.sign(signed.link);
  await eventually(
    "the sealed document",
    async () => (await client.read(`/api/v2/documents/${signed.id}`)).status === 200,
  );
  const { document_sha256, consent } = (await client.read(`/api/signing/${toSign.token}`)).json<{
    document_sha256: string;
    consent: { version: string };
  }>();
  const file = publicFileTokens(createSecrets({ current: Buffer.from(SECRET) })).make({
    documentId: signed.id,
    kind: "document",
  });
  const signature = { garabato: sampleDrawing, consent_version: consent.version, document_sha256 };
  const bulk = {
    document_type: "docx",
    document: Buffer.from(docxOf(paragraph("{nombre y apellido} pays {cuota}"))).toString("base64"),
    firmante: { page: 0, position_x: 60, position_y: 600 },
    df: [{ id: 17, "nombre y apellido": "Ana Paz", dni: "30.123.456", msg: "5491122334455", cuota: "$ 12.500" }],
  };
  return {
    paths: {
      default: { id_seguimiento: signed.id, token: read.token, file: `${file}.pdf` },
      "/api/v2/signers/{id_seguimiento}/photos/{id_custom}/{kind}/{attempt}": await sentPhoto(client),
      "/api/v2/documents/{id_seguimiento}/webhooks/{webhook_id}/redeliver": {
        webhook_id: await attemptedWebhook(client, signed.id),
      },
      "/api/v2/documents/{id_seguimiento}/signers/{id_custom}/resend": {
        id_seguimiento: open.id,
        id_custom: open.id_custom,
      },
      // Who is to be sent all anew is not corrected at once.
      "/api/v2/documents/{id_seguimiento}/signers/{id_custom}": {
        id_seguimiento: toCorrect.id,
        id_custom: toCorrect.id_custom,
      },
      "/api/signing/{token}/signed": { token: signed.token },
      "/api/signing/{token}/sign": { token: toSign.token },
      "/api/signing/{token}/reject": { token: toReject.token },
    } as Record<string, Record<string, string>>,
    bodies: { "/api/signing/{token}/sign": signature, "/api/sendCargaMasiva": bulk } as Record<string, object>,
  };
};

/** The description with values that exist in place of its examples; half of the other values exist, too. */
const enlivened = async (description: Description, client: RubricaClient): Promise<Description> => {
  const { paths, bodies } = await liveExamples(client);
  for (const [path, methods] of Object.entries(description.paths)) {
    for (const { parameters = [], requestBody } of Object.values(methods)) {
      for (const parameter of parameters) {
        const value = { ...paths.default, ...paths[path] }[parameter.name];
        if (parameter.in !== "path" || value === undefined) continue;
        Object.assign(parameter, { example: value, schema: { anyOf: [{ enum: [value] }, parameter.schema] } });
      }
      const media = requestBody?.content["application/json"];
      if (media && bodies[path]) media.example = bodies[path];
    }
  }
  return description;
};

/** Runs schemathesis to its end; gives whether it found nothing, all that it printed, and every exchange. */
const fuzzed = async (service: ServiceProcess, description: Description, folder: string) => {
  const [document, report] = [join(folder, "openapi.json"), join(folder, "report.har")];
  writeFileSync(document, JSON.stringify(description));
  const child = spawn(
    "schemathesis",
    [
      ...["run", document, "--url", service.url, "--header", `x-api-key:${service.apiKey}`],
      ...["--checks", checks.join(","), "--phases", "examples,coverage,fuzzing", "--max-examples", "25", "--seed", "7"],
      ...["--continue-on-failure", "--no-color", "--output-sanitize", "false"],
      // What is slow on a machine that does much else is no fault: its own limit is ten seconds.
      ...["--request-timeout", "60"],
      ...["--report", "har", "--report-har-path", report],
    ],
    { cwd: folder, stdio: ["ignore", "pipe", "pipe"] },
  );
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const [code] = await once(child, "close");
  const har = JSON.parse(readFileSync(report, "utf8")) as { log: { entries: Exchange[] } };
  return { found: code === 0 ? "" : output.slice(0, MAX_SHOWN), exchanges: har.log.entries };
};

const operationsOf = ({ paths }: Description): string[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );

/** The operations that answered 2xx at least once. */
const answeredBy = (exchanges: readonly Exchange[], description: Description): string[] => {
  const succeeded = exchanges
    .filter(({ response }) => response.status >= 200 && response.status < 300)
    .map(({ request }) => `${request.method} ${new URL(request.url).pathname}`);
  return operationsOf(description).filter((operation) => {
    const pattern = new RegExp(`^${operation.replace(/\{\w+\}/g, "[^/]+")}$`);
    return succeeded.some((each) => pattern.test(each));
  });
};

const saysWhenToComeAgain = ({ response: { status, headers } }: Exchange): boolean =>
  status === 503 && headers.some(({ name }) => name.toLowerCase() === "retry-after");

// Installed by: pip install schemathesis
test.skipIf(toolsMissing("schemathesis", "soffice"))(
  "whatever is sent, each operation answers as it is described, and succeeds at least once",
  async () => {
    using folder = temporaryFolder();
    await using service = await startServiceProcess({ dataDir: join(folder.path, "data"), environment: { SECRET } });
    const client = rubricaClient(service);
    const description = await enlivened((await client.send("GET", "/openapi.json")).json<Description>(), client);
    const { found, exchanges } = await fuzzed(service, description, folder.path);
    expect(found).toBe("");
    const failed = exchanges.filter((exchange) => exchange.response.status >= 500 && !saysWhenToComeAgain(exchange));
    expect(failed.map(({ request, response }) => `${request.method} ${request.url}: ${response.status}`)).toEqual([]);
    expect(exchanges.filter(saysWhenToComeAgain).length).toBeLessThan(exchanges.length / 100);
    const missing = operationsOf(description).filter(
      (operation) => !answeredBy(exchanges, description).includes(operation),
    );
    expect(missing.filter((operation) => !UNSHOWN.includes(operation))).toEqual([]);
  },
  MAX_MS,
);
