import { treeBytes, treeOf } from "../test/system/attacks/support/process-tree.ts";
import { type Row, runtime, whole, withFolder } from "./measure.ts";
import { startRubrica } from "./servers.ts";

const MEGABYTE = 1_048_576;
const REST_MS = 3_000;

/** What the service keeps of memory when nobody asks for anything. */
export const benchRest = (): Promise<Row> =>
  withFolder(async (folder) => {
    const server = await startRubrica(`${folder}/data`);
    try {
      await runtime.clock.wait(REST_MS);
      const tree = treeOf(server.pid);
      const [all, alone] = [treeBytes(server.pid) / MEGABYTE, treeBytes(server.pid, false) / MEGABYTE];
      return {
        what: "memory at rest, helpers with it",
        measured: `${whole(all)} MB in ${tree.length} processes`,
        baseline: `the service's own process: ${whole(alone)} MB`,
        result: `${whole(all)} MB`,
        aim: "< 160 MB",
        note: "PSS; helpers that are not needed for a minute end, and are started anew",
      };
    } finally {
      await server.stop();
    }
  });
