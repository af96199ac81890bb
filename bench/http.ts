import autocannon from "autocannon";
import { manyDocuments } from "./documents.ts";
import { type Extent, percentile, perSecond, type Row, ratio, runtime, timeOf, whole, withFolder } from "./measure.ts";
import { API_KEY, messagesTo, type RunningServer, startBareServer, startRubrica } from "./servers.ts";

const { clock } = runtime;
const CONNECTIONS = 16;
const headers = { "content-type": "application/json", "x-api-key": API_KEY };
/** Documents whose messages are looked for at the end: those that were accepted last. */
const LOOKED_AT = 64;
const POLL_MS = 10;
/** Status is asked of so many documents, while one is written every so often. */
const ASKED_OF = 1_000;
const WRITE_EVERY_MS = 200;
const SETTLE_MS = 60_000;
/** Of a day without documents: it counts nothing, and is answered once the read model holds all that was written. */
const OF_ANALYSTS = "/api/v2/analytics/funnel?from=2000-01-01&to=2000-01-02";
/** Read models that nobody waits for gather events for half a second, and may take them in as long again. */
const GATHERED_MS = 1_000;

/** What is posted, each time another document to another phone, so that none waits in another's line. */
export interface Posts {
  next(): { phone: string; body: string };
}

export const createPosts = async (): Promise<Posts> => {
  const documents = await manyDocuments();
  let number = 5_491_100_000_000;
  return {
    next() {
      const phone = String(number++);
      const signer = { name: "Ana Paz", dni: "30123456", dni_country: "AR", phone };
      return { phone, body: JSON.stringify({ document: documents.next(), datos_firmantes: [signer] }) };
    },
  };
};

/** Answers a second; throws when any answer is not 2xx. */
const load = async (options: autocannon.Options): Promise<autocannon.Result> => {
  const result = await autocannon({ connections: CONNECTIONS, ...options });
  const { non2xx, errors } = result;
  if (non2xx + errors > 0) throw new Error(`${non2xx + errors} requests failed`);
  return result;
};

/** Resolves when it is answered whole. @throws where the answer is not 2xx: what refuses is not quick. */
const answered = async (request: Promise<Response>): Promise<void> => {
  const response = await request;
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`it was answered with ${response.status}`);
};

/** What was accepted, and how many a second. */
interface Accepted {
  perSecond: number;
  ids: string[];
}

/** Posts documents to an address for some seconds; the clock stops when `settled` resolves, less the milliseconds that it gives. */
const accept = async (
  url: string,
  posts: Posts,
  duration: number,
  settled: (phones: readonly string[], lastId: string | undefined) => Promise<number> = async () => 0,
): Promise<Accepted> => {
  const [phones, ids]: [string[], string[]] = [[], []];
  const setupRequest = (request: autocannon.Request) => {
    const { phone, body } = posts.next();
    phones.push(phone);
    return { ...request, body };
  };
  const onResponse = (_status: number, body: string): void => {
    const { id_seguimiento: id } = JSON.parse(body);
    if (typeof id === "string") ids.push(id);
  };
  const startedMs = clock.monotonicMs();
  const result = await load({ url, duration, headers, method: "POST", requests: [{ setupRequest, onResponse }] });
  // Those of the last requests of each connection may have been broken off.
  const notCountedMs = await settled(phones.slice(0, ids.length).slice(-LOOKED_AT), ids.at(-1));
  return { perSecond: perSecond(result["2xx"], clock.monotonicMs() - startedMs - notCountedMs), ids };
};

/** Resolves when signers were written to, and the read models are level; what they may gather events for is not counted. */
const allDone =
  ({ url }: RunningServer, onSent: () => void) =>
  async (phones: readonly string[], lastId: string | undefined): Promise<number> => {
    const deadlineMs = clock.monotonicMs() + SETTLE_MS;
    for (const phone of phones) {
      while ((await messagesTo(url, phone)).length === 0) {
        if (clock.monotonicMs() > deadlineMs) throw new Error("a message was not sent in time");
        await clock.wait(POLL_MS);
      }
    }
    // They wait for the read models.
    if (lastId) await answered(fetch(`${url}/api/v2/signatureStatus/${lastId}`, { headers }));
    await answered(fetch(`${url}/api/v2/documents`, { headers }));
    onSent();
    const forAnalysts = async (): Promise<void> => {
      let response: Response;
      do {
        if (clock.monotonicMs() > deadlineMs) throw new Error("the read model of analysts is not level");
        response = await fetch(`${url}${OF_ANALYSTS}`, { headers });
        await response.arrayBuffer();
      } while (response.status === 503);
      if (!response.ok) throw new Error(`the funnel was answered with ${response.status}`);
    };
    return Math.min(GATHERED_MS, await timeOf(forAnalysts));
  };

/** Accepting by the service, to the last message and read model; `onSent` is called when the last message is sent. */
export const acceptRate = async (
  server: RunningServer,
  posts: Posts,
  duration: number,
  onSent: () => void = () => undefined,
): Promise<Accepted> => accept(`${server.url}/api/v2/documentSet`, posts, duration, allDone(server, onSent));

/** The same documents, parsed and made durable by a bare server. */
export const bareAcceptRate = async ({ url }: RunningServer, posts: Posts, duration: number): Promise<number> =>
  (await accept(`${url}/accept`, posts, duration)).perSecond;

/** Answers a second for the status of many documents, while others are written. */
export const statusRate = async (
  { url }: RunningServer,
  posts: Posts,
  ids: readonly string[],
  duration: number,
): Promise<number> => {
  const writing = new AbortController();
  const write = async (): Promise<void> => {
    while (!writing.signal.aborted) {
      const { body } = posts.next();
      await answered(fetch(`${url}/api/v2/documentSet`, { method: "POST", headers, body }));
      await clock.wait(WRITE_EVERY_MS, { signal: writing.signal });
    }
  };
  const requests = ids.map((id) => ({ path: `/api/v2/signatureStatus/${id}` }));
  const asked = load({ url, duration, headers, requests }).finally(() => writing.abort());
  const [{ requests: answers }] = await Promise.all([asked, write()]);
  return answers.average;
};

export const bareStatusRate = async ({ url }: RunningServer, duration: number): Promise<number> =>
  (await load({ url: `${url}/status`, duration })).requests.average;

/** So many documents that were accepted. */
export const documentsOf = async (
  server: RunningServer,
  posts: Posts,
  known: readonly string[],
  count = ASKED_OF,
): Promise<string[]> => {
  const ids = [...known];
  while (ids.length < count) ids.push(...(await acceptRate(server, posts, 2)).ids);
  return ids.slice(-count);
};

const median = (values: readonly number[]): number => percentile(values, 0.5);

/** Accepting and asking over HTTP, the service and a bare Fastify each in a process of its own, in turns. */
export const benchHttp = ({ quick }: Extent): Promise<Row[]> =>
  withFolder(async (folder) => {
    const [rounds, duration] = quick ? [1, 5] : [3, 10];
    const rubrica = await startRubrica(`${folder}/rubrica`);
    const bare = await startBareServer(folder);
    try {
      const posts = await createPosts();
      // The first ones compile what they run through.
      await acceptRate(rubrica, posts, 2);
      const [accepted, bareAccepted, status, bareStatus]: number[][] = [[], [], [], []];
      let ids: string[] = [];
      for (let round = 0; round < rounds; round += 1) {
        bareAccepted?.push(await bareAcceptRate(bare, posts, duration));
        const taken = await acceptRate(rubrica, posts, duration);
        accepted?.push(taken.perSecond);
        ids = await documentsOf(rubrica, posts, [...ids, ...taken.ids]);
        bareStatus?.push(await bareStatusRate(bare, duration));
        status?.push(await statusRate(rubrica, posts, ids, duration));
      }
      const [measured, baseline] = [median(accepted ?? []), median(bareAccepted ?? [])];
      const [answered, fixed] = [median(status ?? []), median(bareStatus ?? [])];
      return [
        {
          what: "accept a PDF of 100 KB, one account",
          measured: `${whole(measured)}/s`,
          baseline: `bare Fastify: parse, fsync the bytes: ${whole(baseline)}/s`,
          result: ratio(measured / baseline),
          value: measured / baseline,
          aim: "≥ 0.25",
          note:
            "50 kinds of 1 to 30 pages, each file another, to the last message sent; one thread does all but the reading " +
            "of the PDF, and waits for the disk at each group of events: JSON and Base64, a key, hash and encryption, six " +
            "events (three of them the message's) in two streams, their read models, the simulated phone",
        },
        {
          what: "status of a thousand documents, between writes",
          measured: `${whole(answered)}/s`,
          baseline: `bare Fastify, fixed answer: ${whole(fixed)}/s`,
          result: ratio(answered / fixed),
          value: answered / fixed,
          aim: "≥ 0.45",
          note:
            "head and record are in memory between writes; a fifth is writing to the socket, a third hooks, headers, log " +
            "line and request id",
        },
      ];
    } finally {
      await Promise.all([rubrica.stop(), bare.stop()]);
    }
  });
