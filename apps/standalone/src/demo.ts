// `npm run demo`: the whole main job without a browser, each step with its time.
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { configFrom } from "@rubrica/config";
import { createLogger } from "@rubrica/http";
import { systemRuntime } from "@rubrica/runtime";
import sharp from "sharp";
import { startService } from "./service.ts";
import { SAMPLE_PDF } from "./welcome.ts";

const OUTPUT = join(process.cwd(), "demo");
const SIGNATURE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="480" height="180"><path d="M30 120 C70 10 100 20 95 110 S60 175 75 120 150 40 170 90 130 150 175 120 230 70 245 100 225 140 260 115 330 60 335 95 300 150 350 115 430 70 450 60" fill="none" stroke="#14213d" stroke-width="6" stroke-linecap="round"/></svg>';
const POLL_MS = 50;
const GIVE_UP_MS = 30_000;

const runtime = systemRuntime();
const { clock } = runtime;

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject).listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() =>
        typeof address === "object" && address ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });

/** Does a step and prints what came of it and how long it took. */
const step = async <Result>(what: string, work: () => Promise<Result>): Promise<Result> => {
  const startedMs = clock.monotonicMs();
  const result = await work();
  console.log(`${`${(clock.monotonicMs() - startedMs).toFixed(0)} ms`.padStart(8)}  ${what}`);
  return result;
};

/** Asks again until there is an answer: what follows from a command is done in the background. */
const eventually = async <Result>(ask: () => Promise<Result | undefined>): Promise<Result> => {
  const deadlineMs = clock.monotonicMs() + GIVE_UP_MS;
  for (;;) {
    const result = await ask();
    if (result !== undefined) return result;
    if (clock.monotonicMs() > deadlineMs) throw new Error("the demo's next step did not come");
    await clock.wait(POLL_MS);
  }
};

interface SimulatedMessage {
  id: string;
  link: string | null;
  buttons: string[];
}

interface SeenDocument {
  document_sha256: string;
  consent: { version: string };
}

interface EventLog {
  events: { event: string }[];
}

/** Calls the service as its integrator, its signer and the simulator's user. */
const callerOf = (url: string, apiKey: string, simulatorKey: string) => {
  const call = async (path: string, body?: object): Promise<Response> => {
    const keys = path.startsWith("/simulator/") ? { "x-simulator-key": simulatorKey } : { "x-api-key": apiKey };
    const headers = { ...keys, "content-type": "application/json" };
    const init = body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers: keys };
    return fetch(new URL(path, url), init);
  };
  const json = async <Answer>(path: string, body?: object): Promise<Answer> => {
    const response = await call(path, body);
    if (!response.ok) throw new Error(`a step was answered ${response.status}`);
    return (await response.json()) as Answer;
  };
  return { call, json };
};

type Caller = ReturnType<typeof callerOf>;

/** Asks for a document to be signed, and gives its id. */
const request = async ({ json }: Caller): Promise<string> => {
  const document = (await readFile(SAMPLE_PDF)).toString("base64");
  const signer = { name: "Łucía Fernández", dni: "30.123.456", dni_country: "AR", phone: "+54 9 11 2233-4455" };
  const body = {
    document,
    document_name: "Lease agreement",
    wpp_business_name: "ACME Homes",
    datos_firmantes: [signer],
  };
  const requested = await step("document requested", () =>
    json<{ id_seguimiento: string }>("/api/v2/documentSet", body),
  );
  return requested.id_seguimiento;
};

/** What the signer does, from the first message to the signature. */
const sign = async ({ json }: Caller): Promise<void> => {
  const messages = () => json<SimulatedMessage[]>("/simulator/messages?phone=5491122334455");
  const asked = await step("the signer is asked on their phone", () => eventually(async () => (await messages())[0]));
  await step("the signer answers: continue", () =>
    json(`/simulator/messages/${asked.id}/reply`, { button: "continue" }),
  );
  const link = await step("the signing link arrives", () =>
    eventually(async () => (await messages()).find((message) => message.link)?.link ?? undefined),
  );

  const signing = `/api/signing/${new URL(link).pathname.split("/").at(-1)}`;
  await step("the signer opens the page", () => json(`${signing}/opened`, {}));
  const seen = await step("the signer reads the document", () => json<SeenDocument>(signing));
  const drawing = (await sharp(Buffer.from(SIGNATURE)).png().toBuffer()).toString("base64");
  const signature = {
    garabato: `data:image/png;base64,${drawing}`,
    consent_version: seen.consent.version,
    document_sha256: seen.document_sha256,
    time_zone: "America/Argentina/Buenos_Aires",
  };
  await step("the signer signs", () => json(`${signing}/sign`, signature));
};

/** Fetches what there is of a signed document, has it checked, and leaves it in the folder. */
const collect = async (id: string, url: string, { call, json }: Caller): Promise<void> => {
  const sealed = await step("the signed PDF is stamped and sealed", () =>
    eventually(async () => {
      const response = await call(`/api/v2/documents/${id}`);
      return response.ok ? Buffer.from(await response.arrayBuffer()) : undefined;
    }),
  );
  const status = await step("the status says that it is finished", () =>
    json<{ is_finished: boolean }>(`/api/v2/signatureStatus/${id}`),
  );
  const report = await step("the legal report is built", async () => {
    const response = await call(`/api/v2/reporte/${id}`);
    if (!response.ok) throw new Error(`the report was answered ${response.status}`);
    return Buffer.from(await response.arrayBuffer());
  });
  const checked = await step("anybody checks the signed PDF", async () => {
    const response = await fetch(new URL("/api/verify", url), {
      method: "POST",
      headers: { "content-type": "application/pdf" },
      body: new Uint8Array(sealed),
    });
    if (!response.ok) throw new Error(`the check was answered ${response.status}`);
    return (await response.json()) as { verdict: string };
  });
  const log = await step("the event log is read", () => json<EventLog>(`/api/eventLogs/${id}`));

  await mkdir(OUTPUT, { recursive: true });
  await writeFile(join(OUTPUT, "signed.pdf"), sealed);
  await writeFile(join(OUTPUT, "report.pdf"), report);
  await writeFile(join(OUTPUT, "events.json"), `${JSON.stringify(log, null, 2)}\n`);
  const names = log.events.map(({ event }) => event).join(" → ");
  console.log(`\nis_finished: ${status.is_finished}\nverdict:     ${checked.verdict}\nevents:      ${names}`);
  const folder = relative(process.cwd(), OUTPUT) || ".";
  console.log(`left in ${folder}/: signed.pdf (${Math.round(sealed.length / 1024)} KB), report.pdf, events.json`);
  console.log(
    "The service of this demo is gone, and its certificate with it: another one finds its PDF intact, but not its own.",
  );
};

const dataDir = await mkdtemp(join(tmpdir(), "rubrica-demo-"));
try {
  const config = configFrom({ DATA_DIR: dataDir, PORT: String(await freePort()), RATE_LIMIT_PER_MINUTE: "off" });
  const logger = createLogger({ clock, level: "warn" });
  const service = await step("service started", () => startService(config, runtime, logger));
  try {
    const { demo, simulator } = service.keys;
    if (demo === null) throw new Error("a local service has a demo account");
    const url = service.welcome.service;
    const caller = callerOf(url, demo.apiKey, simulator);
    const id = await request(caller);
    await sign(caller);
    await collect(id, url, caller);
  } finally {
    await service.close();
  }
} finally {
  await rm(dataDir, { recursive: true });
}
