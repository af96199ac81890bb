import { Worker } from "node:worker_threads";
import { runnableOf } from "@rubrica/runtime/bundle";
import { type CommitAnswer, type CommitRequest, failureFromSent, fromSent } from "./commit-messages.ts";
import type { AppendOutcome } from "./writer.ts";

interface Asked {
  resolve: (answer: CommitAnswer) => void;
  reject: (reason: unknown) => void;
}

/**
 * Commits groups of appends on a thread of its own: each commit waits for the disk, some milliseconds for which the
 * whole service would stand still. The thread starts with the first group, and anew after one that has ended.
 */
export class CommitThread {
  readonly #path: string;
  #worker: Worker | undefined;
  /** Who waits for an answer; there is one group at a time. */
  #asked: Asked | undefined;

  /** @param path of the store's file, which is there. */
  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Writes one group, in one transaction; one at a time.
   * @throws as `Writer.commit` does. @throws when the thread ends meanwhile: then the group may be stored or not.
   */
  async commit(group: CommitRequest): Promise<AppendOutcome[]> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const answered = new Promise<CommitAnswer>((resolve, reject) => {
      this.#asked = { resolve, reject };
    });
    // While it has nothing to do, it keeps no process alive.
    worker.ref();
    worker.postMessage(group);
    try {
      const answer = await answered;
      if ("failure" in answer) throw failureFromSent(answer.failure);
      return answer.outcomes.map(fromSent);
    } finally {
      this.#asked = undefined;
      worker.unref();
    }
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(runnableOf(new URL("commit-worker.ts", import.meta.url)), { workerData: this.#path });
    worker.on("message", (answer: CommitAnswer) => this.#asked?.resolve(answer));
    worker.on("error", (error) => this.#asked?.reject(error));
    worker.on("exit", () => {
      if (this.#worker === worker) this.#worker = undefined;
      this.#asked?.reject(new Error("the thread that commits has ended"));
    });
    return worker;
  }
}
