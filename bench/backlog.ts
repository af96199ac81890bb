import { readFile } from "node:fs/promises";
import { derivedId } from "@rubrica/events";
import { samplePdf, sampleSigner } from "@rubrica/test-kit";
import { type CountingReceiver, openCountingReceiver, writeBacklogs } from "../test/support/backlog.ts";
import { type Extent, percentile, perSecond, type Row, runtime, timeOf, whole, withFolder } from "./measure.ts";
import { API_KEY, type RunningServer, startRubrica } from "./servers.ts";

const { clock } = runtime;
const AIM_GET_MS = 50;
const AIM_MB = 600;
const AIM_STOP_MS = 10_000;
/** Between two GETs, and two looks at the memory. */
const PAUSE_MS = 20;

/** Accounts of very different size: most of it is one's. */
const SHARES = [0.9, 0.05, 0.03, 0.01, 0.005, 0.005] as const;

const megabytes = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024;
};

/** What others see of a service that works off its backlog. */
interface Seen {
  getMs: number[];
  peakMb: number;
}

const headers = { "content-type": "application/json", "x-api-key": API_KEY };

const requestDocument = async ({ url }: RunningServer): Promise<string> => {
  const document = (await samplePdf()).toString("base64");
  const body = JSON.stringify({ document, datos_firmantes: [sampleSigner(1)] });
  const response = await fetch(`${url}/api/v2/documentSet`, { method: "POST", headers, body });
  const { id_seguimiento } = (await response.json()) as { id_seguimiento: string };
  return id_seguimiento;
};

/** Asks for a document's status, again and again, until so many webhooks came. */
const look = async (server: RunningServer, receiver: CountingReceiver, until: number, seen: Seen): Promise<void> => {
  const address = `${server.url}/api/v2/signatureStatus/${await requestDocument(server)}`;
  while (receiver.told.size < until) {
    seen.getMs.push(
      await timeOf(async () => {
        const response = await fetch(address, { headers });
        if (response.status !== 200) throw new Error(`a GET was answered ${response.status}`);
        await response.text();
      }),
    );
    seen.peakMb = Math.max(seen.peakMb, await megabytes(server.pid));
    await clock.wait(PAUSE_MS);
  }
};

/** What a restored or long unreachable service owes at once: GETs, memory, stopping, and that all of it is met. */
export const benchBacklog = ({ quick }: Extent): Promise<Row[]> =>
  withFolder(async (folder) => {
    const owed = quick ? 10_000 : 50_000;
    await using receiver = await openCountingReceiver();
    const backlogs = SHARES.map((share, index) => ({
      accountId: derivedId(`account ${index}`),
      documents: Math.round((owed * share) / 2),
      url: receiver.url,
    }));
    await writeBacklogs(folder, backlogs);
    const all = backlogs.reduce((sum, { documents }) => sum + 2 * documents, 0);
    const seen: Seen = { getMs: [], peakMb: 0 };
    const first = await startRubrica(folder, { ALLOW_PRIVATE_URLS: "true" });
    const startedMs = clock.monotonicMs();
    await look(first, receiver, all / 10, seen);
    const rate = perSecond(receiver.told.size, clock.monotonicMs() - startedMs);
    const stopMs = await timeOf(() => first.stop());
    const second = await startRubrica(folder, { ALLOW_PRIVATE_URLS: "true" });
    await look(second, receiver, all, seen);
    await second.stop();
    const twice = [...receiver.told.values()].filter((ids) => ids.size > 1).length;
    const p99 = percentile(seen.getMs, 0.99);
    const common = {
      baseline: "—",
      note: `${whole(rate)} webhooks/s, each two events and two turns of all read models`,
    };
    const what = `backlog of ${whole(all)}`;
    const longest = percentile(seen.getMs, 1);
    return [
      {
        ...common,
        what: `${what}: GET meanwhile`,
        measured: `p50 ${percentile(seen.getMs, 0.5).toFixed(1)} ms, longest ${longest.toFixed(0)} ms`,
        result: `p99 ${p99.toFixed(1)} ms`,
        aim: `< ${AIM_GET_MS} ms`,
      },
      {
        ...common,
        what: `${what}: memory`,
        measured: "most of the service's process",
        result: `${whole(seen.peakMb)} MB`,
        aim: `< ${AIM_MB} MB`,
      },
      {
        ...common,
        what: `${what}: SIGTERM`,
        measured: `ready again after ${whole(second.readyAfterMs)} ms`,
        result: `${whole(stopMs)} ms`,
        aim: `< ${whole(AIM_STOP_MS)} ms`,
      },
      {
        ...common,
        what: `${what}: met`,
        measured: `${whole(receiver.told.size)} of ${whole(all)}`,
        result: `${twice} under two ids`,
        aim: "0",
      },
    ];
  });
