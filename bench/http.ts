import { readFile } from "node:fs/promises";
import autocannon from "autocannon";
import { PDFDocument } from "pdf-lib";
import { type Extent, percentile, type Row, ratio, runtime, whole, withFolder } from "./measure.ts";
import { API_KEY, type RunningServer, startBareServer, startRubrica } from "./servers.ts";

const CONNECTIONS = 16;
const SAMPLE = new URL("../packages/pdf/samples/sample-contract.pdf", import.meta.url);
const headers = { "content-type": "application/json", "x-api-key": API_KEY };

/** The sample contract with an attachment that brings it to 100 KB. */
const pdfOf100Kb = async (): Promise<string> => {
  const document = await PDFDocument.load(await readFile(SAMPLE));
  await document.attach(runtime.random.bytes(85_000), "appendix.bin");
  return Buffer.from(await document.save()).toString("base64");
};

const requestBody = (document: string, phone: number): string =>
  JSON.stringify({
    document,
    datos_firmantes: [{ name: "Ana Paz", dni: "30123456", dni_country: "AR", phone: String(phone) }],
  });

/** Answers a second; throws when any answer is not 2xx. */
const load = async (options: autocannon.Options): Promise<number> => {
  const { requests, non2xx, errors } = await autocannon({ connections: CONNECTIONS, ...options });
  if (non2xx + errors > 0) throw new Error(`${non2xx + errors} requests failed`);
  return requests.average;
};

/** Every request is to another phone, so that none waits in another's line. */
const accept = (url: string, document: string, duration: number): Promise<number> => {
  let phone = 5_491_100_000_000;
  const setupRequest = (request: autocannon.Request) => ({ ...request, body: requestBody(document, phone++) });
  return load({ url, duration, headers, method: "POST", requests: [{ setupRequest }] });
};

const benchAccept = async (rubrica: RunningServer, bare: RunningServer, duration: number): Promise<Row> => {
  const document = await pdfOf100Kb();
  const baseline = await accept(`${bare.url}/accept`, document, duration);
  const measured = await accept(`${rubrica.url}/api/v2/documentSet`, document, duration);
  return {
    what: "accept a 100 KB PDF, durable",
    measured: `${whole(measured)}/s`,
    baseline: `bare Fastify: parse, fsync the bytes: ${whole(baseline)}/s`,
    result: ratio(measured / baseline),
    aim: "≥ 0.5",
    note:
      "one thread does all but the reading of the PDF, and waits for the disk at each group of events: JSON and Base64, a key, " +
      "hash and encryption, six events (three of them the message's) in two streams, their read models, the simulated phone",
  };
};

const request = async (url: string, document: string, phone: number): Promise<{ id_seguimiento: string }> => {
  const response = await fetch(`${url}/api/v2/documentSet`, {
    method: "POST",
    headers,
    body: requestBody(document, phone),
  });
  return (await response.json()) as { id_seguimiento: string };
};

const benchStatus = async (rubrica: RunningServer, bare: RunningServer, duration: number): Promise<Row> => {
  const { id_seguimiento } = await request(rubrica.url, await pdfOf100Kb(), 5_491_199_999_999);
  const baseline = await load({ url: `${bare.url}/status`, duration });
  const measured = await load({ url: `${rubrica.url}/api/v2/signatureStatus/${id_seguimiento}`, duration, headers });
  return {
    what: "status query",
    measured: `${whole(measured)}/s`,
    baseline: `bare Fastify, fixed answer: ${whole(baseline)}/s`,
    result: ratio(measured / baseline),
    aim: "≥ 0.7",
    note: "a third is writing to the socket, a quarter the stream's head and the read model; then API key, request id, hooks",
  };
};

/** Accepting and asking over HTTP, the service and a bare Fastify each in a process of its own. */
export const benchHttp = ({ quick }: Extent): Promise<Row[]> =>
  withFolder(async (folder) => {
    const duration = quick ? 2 : 10;
    const rubrica = await startRubrica(`${folder}/rubrica`);
    const bare = await startBareServer(folder);
    try {
      const status = await benchStatus(rubrica, bare, duration);
      const accepted = await benchAccept(rubrica, bare, duration);
      return [accepted, status];
    } finally {
      await Promise.all([rubrica.stop(), bare.stop()]);
    }
  });

/** From the process' start to its first answer: a fresh data folder, then the same one again. */
export const benchStart = ({ quick }: Extent): Promise<Row> =>
  withFolder(async (folder) => {
    const times: number[] = [];
    for (let run = 0; run < (quick ? 2 : 6); run++) {
      const server = await startRubrica(`${folder}/data`);
      times.push(server.readyAfterMs);
      await server.stop();
    }
    const [first = Number.NaN, ...later] = times;
    return {
      what: "start to ready",
      measured: `first ${whole(first)} ms, later ${whole(percentile(later, 0.5))} ms`,
      baseline: "—",
      result: `${(percentile(times, 1) / 1000).toFixed(2)} s`,
      aim: "< 2 s",
      note: "loading modules; the first start makes keys and certificates",
    };
  });
