import { systemClock } from "@rubrica/runtime";
import { eventLoopOf, eventually } from "@rubrica/test-kit";
import type { AttackedService } from "./host.ts";
import { isTreeIdle, treeBytes } from "./process-tree.ts";

/**
 * What the tree holds when it has nothing to do, LibreOffice apart: helpers keep some of what they read, for a minute.
 * The service sees to it that it and its helpers stay below 780 MB, whatever was warm before.
 */
const RESTING_MB = 740;
const MEGABYTE = 1_048_576;
/** So often in a row there is nothing to do: between two tasks a helper may look idle. */
const LOOKS = 4;
const PAUSE_MS = 15;

/** Resolves when nothing is left of what was asked before: no request, no body, no task of a helper, and its memory. */
export const atRest = async ({ pid, eventLoopSocket }: AttackedService): Promise<void> => {
  let last = "";
  const isIdle = async (): Promise<boolean> => {
    for (let look = 0; look < LOOKS; look += 1) {
      const { requestsUnderWay } = await eventLoopOf(eventLoopSocket);
      const idle = isTreeIdle(pid);
      last = `${requestsUnderWay} requests, helpers ${idle ? "idle" : "at work"}`;
      if (requestsUnderWay > 0 || !idle) return false;
      await systemClock.wait(PAUSE_MS);
    }
    return true;
  };
  // To weigh all of its processes takes longer than all the rest: what is at work is not weighed.
  const rests = async (): Promise<boolean> => {
    if (!(await isIdle())) return false;
    const megabytes = treeBytes(pid) / MEGABYTE;
    last += `, ${megabytes.toFixed(0)} MB`;
    return megabytes <= RESTING_MB;
  };
  await eventually("rest", rests).catch((error: unknown) => {
    throw new Error(`the service does not come to rest: ${last}`, { cause: error });
  });
};
