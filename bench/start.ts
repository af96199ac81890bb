import { createPosts } from "./http.ts";
import { type Extent, percentile, type Row, runtime, whole, withFolder } from "./measure.ts";
import { API_KEY, startRubrica } from "./servers.ts";

const { clock } = runtime;
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;

/**
 * From the process' start to its first answer, and to the first document that it accepts: a fresh data folder, then the
 * same one again.
 */
export const benchStart = ({ quick }: Extent): Promise<Row[]> =>
  withFolder(async (folder) => {
    const posts = await createPosts();
    const [ready, accepted]: [number[], number[]] = [[], []];
    for (let run = 0; run < (quick ? 2 : 6); run++) {
      const server = await startRubrica(`${folder}/data`);
      const startedMs = clock.monotonicMs() - server.readyAfterMs;
      ready.push(server.readyAfterMs);
      await post(`${server.url}/api/v2/documentSet`, posts.next().body);
      accepted.push(clock.monotonicMs() - startedMs);
      await server.stop();
    }
    const note = "loading modules; the first start makes keys and certificates";
    return [
      rowOf("start to ready", ready, "< 1 s", note),
      rowOf("start to the first document accepted", accepted, "< 2 s", `${note}; a helper reads the PDF`),
    ];
  });

const post = async (url: string, body: string): Promise<void> => {
  const headers = { "content-type": "application/json", "x-api-key": API_KEY };
  const response = await fetch(url, { method: "POST", headers, body });
  if (!response.ok) throw new Error(`it was answered with ${response.status}`);
  await response.arrayBuffer();
};

const rowOf = (what: string, times: readonly number[], aim: string, note: string): Row => {
  const [first = Number.NaN, ...later] = times;
  const measured = `first ${whole(first)} ms, later ${whole(percentile(later, 0.5))} ms`;
  return { what, measured, baseline: "—", result: seconds(percentile(times, 1)), aim, note };
};
