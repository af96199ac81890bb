import { freePort, type RubricaClient, rubricaClient, samplePdf, sampleSigner } from "@rubrica/test-kit";
import {
  hasEngines,
  startDeployment,
  startEngines,
  startReverseProxy,
  TWO_OF_EACH,
} from "@rubrica/test-kit/deployment";
import { benchEventStoreDb } from "./eventstoredb.ts";
import { type Extent, perSecond, type Row, ratio, runtime, timeOf, whole, withFolder } from "./measure.ts";
import { API_KEY, startRubrica } from "./servers.ts";

const { clock } = runtime;
const AT_ONCE = 16;
const POLL_MS = 50;

/** What a service does in a second. */
interface Speeds {
  accepted: number;
  statuses: number;
  sealed: number;
}

/** Does something so many times, some at once. */
const each = async (count: number, work: (number: number) => Promise<void>): Promise<number> => {
  let next = 0;
  const some = async () => {
    while (next < count) await work(next++);
  };
  return perSecond(count, await timeOf(() => Promise.all(Array.from({ length: AT_ONCE }, some))));
};

const isSealed = async (client: RubricaClient, id: string): Promise<boolean> =>
  (await client.send("GET", `/api/v2/documents/${id}`)).status === 200;

const speedsOf = async (client: RubricaClient, { quick }: Extent): Promise<Speeds> => {
  const pdf = await samplePdf();
  let signers = 0;
  const ask = () => client.requestDocument(pdf, [sampleSigner(++signers)]);
  const sealOne = async () => {
    const { id_seguimiento: id, urls } = await client.requestDocument(pdf, [sampleSigner(++signers)], { wpp: false });
    await client.sign(urls[0]?.link ?? "");
    while (!(await isSealed(client, id))) await clock.wait(POLL_MS);
  };
  // The first of all kinds compile what they run through.
  await each(AT_ONCE, sealOne);
  const { id_seguimiento: id } = await ask();
  return {
    accepted: await each(quick ? 50 : 500, async () => void (await ask())),
    statuses: await each(quick ? 200 : 5_000, async () => void (await client.status(id))),
    sealed: await each(quick ? 20 : 200, sealOne),
  };
};

const onEmbedded = (extent: Extent): Promise<Speeds> =>
  withFolder(async (folder) => {
    const rubrica = await startRubrica(folder);
    // The deployments stand behind the same.
    const proxy = await startReverseProxy(await freePort(), () => [rubrica.url]);
    try {
      return await speedsOf(rubricaClient({ url: proxy.url, apiKey: API_KEY }), extent);
    } finally {
      await proxy[Symbol.asyncDispose]();
      await rubrica.stop();
    }
  });

const onEngines = async (extent: Extent, counts: Readonly<Record<string, number>>): Promise<Speeds> => {
  await using engines = await startEngines({ durable: true });
  await using deployment = await startDeployment({ engines: engines.environment, counts });
  // Awaited before what it needs is gone.
  return await speedsOf(deployment.client, extent);
};

const rowsOf = (what: string, measured: Speeds, baseline: Speeds, against: string, note: string): Row[] =>
  (["accepted", "statuses", "sealed"] as const).map((kind) => ({
    what: `${what}: ${kind === "sealed" ? "documents to the sealed PDF" : kind}`,
    measured: `${whole(measured[kind])}/s`,
    baseline: `${against}: ${whole(baseline[kind])}/s`,
    result: ratio(measured[kind] / baseline[kind]),
    aim: "-",
    note,
  }));

/** What the event store adds to EventStoreDB's client; what the apps as processes on engines over the wire do, against one process on embedded ones, all on this machine. */
export const benchEngines = async (extent: Extent): Promise<Row[]> => {
  const ofClient = await benchEventStoreDb(extent);
  if (!hasEngines()) return ofClient;
  const embedded = await onEmbedded(extent);
  const one = await onEngines(extent, Object.fromEntries(Object.keys(TWO_OF_EACH).map((app) => [app, 1])));
  const two = await onEngines(extent, TWO_OF_EACH);
  const note =
    "engines, apps, load and proxy share this machine's processors, and EventStoreDB's double is slower than it";
  return [
    ...ofClient,
    ...rowsOf("one of each app on engines", one, embedded, "embedded, one process", note),
    ...rowsOf("two of each app on engines", two, one, "one of each", note),
  ];
};
