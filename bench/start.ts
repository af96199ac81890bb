import { type Extent, percentile, type Row, whole, withFolder } from "./measure.ts";
import { startRubrica } from "./servers.ts";

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
      aim: "< 1 s",
      note: "loading modules; the first start makes keys and certificates",
    };
  });
