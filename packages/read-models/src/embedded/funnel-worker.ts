// The thread that counts funnels: see `FunnelThread`.
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import { countFunnelIn } from "./funnel.ts";
import type { FunnelAnswer, FunnelRequest } from "./funnel-thread.ts";

const answer = ({ number, collection, question }: FunnelRequest): FunnelAnswer => {
  try {
    // Opened anew: the file may be another by now.
    using database = new DatabaseSync(workerData, { readOnly: true });
    return { number, groups: countFunnelIn(database, collection, question) };
  } catch (error) {
    return { number, failure: error };
  }
};

parentPort?.on("message", (request: FunnelRequest) => parentPort?.postMessage(answer(request)));
