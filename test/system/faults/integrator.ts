import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { systemClock } from "@rubrica/runtime";
import { type Answer, type DocumentAccepted, type RubricaClient, sampleSigner } from "@rubrica/test-kit";

const PAUSE_MS = 250;
/** Whoever is not answered in all this time is not served. */
const PATIENCE_MS = 240_000;

/** What was answered over all faults. */
export interface Ledger {
  accepted: Set<string>;
  signed: Set<string>;
  /** Requests and signatures that had to be sent again. */
  repeated: number;
}

export const emptyLedger = (): Ledger => ({ accepted: new Set(), signed: new Set(), repeated: 0 });

/** An integrator and the signers of its documents. */
export interface Load {
  client: RubricaClient;
  ledger: Ledger;
  pdf: Buffer;
  webhookUrl: string;
}

/** Sends until it is answered with 200, as who is owed an answer does. @throws when it is refused, or not served for minutes. */
const insist = async (ledger: Ledger, what: string, send: () => Promise<Answer>): Promise<Answer> => {
  const endMs = systemClock.monotonicMs() + PATIENCE_MS;
  for (;;) {
    const answer = await send().catch((error: Error) => error);
    if (!(answer instanceof Error)) {
      if (answer.status === 200) return answer;
      if (answer.status < 500) throw new Error(`${what} was answered ${answer.status}: ${answer.text.slice(0, 300)}`);
    } else if (/answered 4\d\d/.test(answer.message)) {
      throw answer;
    }
    if (systemClock.monotonicMs() > endMs) {
      const last = answer instanceof Error ? answer.message : `${answer.status} ${answer.text.slice(0, 300)}`;
      throw new Error(`${what} was not served: ${last}`);
    }
    ledger.repeated += 1;
    await systemClock.wait(PAUSE_MS);
  }
};

const requestAndSign = async ({ client, ledger, pdf, webhookUrl }: Load, number: number): Promise<void> => {
  const body = {
    document: pdf.toString("base64"),
    datos_firmantes: [sampleSigner(number)],
    webhook_url: webhookUrl,
  };
  const key = { "idempotency-key": `document-${number}` };
  const request = () => client.send("POST", "/api/v2/documentSet", body, key);
  const accepted = (await insist(ledger, `document ${number}`, request)).json<DocumentAccepted>();
  ledger.accepted.add(accepted.id_seguimiento);
  const link = accepted.urls[0]?.link ?? "";
  await insist(ledger, `the signature of document ${number}`, () => client.postSignature(link));
  ledger.signed.add(accepted.id_seguimiento);
};

/** Requests documents with these numbers, so many at a time, and signs each; resolves when all was answered. */
export const drive = async (load: Load, numbers: readonly number[], concurrency: number): Promise<void> => {
  const left = [...numbers];
  const work = async (): Promise<void> => {
    for (let number = left.shift(); number !== undefined; number = left.shift()) await requestAndSign(load, number);
  };
  await Promise.all(Array.from({ length: concurrency }, work));
};

/** Takes every webhook at once. */
export interface Receiver extends AsyncDisposable {
  url: string;
  /** The ids that each webhook came under, by `{document}/{type}`. */
  told: ReadonlyMap<string, ReadonlySet<string>>;
  /** Of each document the types of its webhooks, in the order in which they came first. */
  order: ReadonlyMap<string, readonly string[]>;
}

export const openReceiver = async (): Promise<Receiver> => {
  const told = new Map<string, Set<string>>();
  const order = new Map<string, string[]>();
  const server = createServer(async (request, response) => {
    try {
      const { type, data } = JSON.parse(await text(request));
      const name = `${data.id_seguimiento}/${type}`;
      const before = order.get(data.id_seguimiento) ?? [];
      if (!told.has(name)) order.set(data.id_seguimiento, [...before, type]);
      told.set(name, (told.get(name) ?? new Set()).add(String(request.headers["webhook-id"])));
      response.end();
    } catch {
      // Its sender was killed as it sent: it comes again.
      response.destroy();
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    told,
    order,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};
