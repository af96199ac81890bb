// The thread that commits: see `CommitThread`.
import { parentPort, workerData } from "node:worker_threads";
import { type CommitAnswer, type CommitRequest, failureToSent, toSent } from "./commit-messages.ts";
import { openDatabase } from "./database.ts";
import { Writer } from "./writer.ts";

let writer: Writer | undefined;

const answer = (group: CommitRequest): CommitAnswer => {
  try {
    writer ??= new Writer(openDatabase(workerData));
    return { outcomes: writer.commit(group).map(toSent) };
  } catch (error) {
    return { failure: failureToSent(error) };
  }
};

parentPort?.on("message", (group: CommitRequest) => parentPort?.postMessage(answer(group)));
