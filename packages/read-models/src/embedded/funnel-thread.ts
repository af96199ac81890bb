import { Worker } from "node:worker_threads";
import { runnableOf } from "@rubrica/runtime/bundle";
import type { FunnelGroup, FunnelQuestion } from "../analytics/funnel.ts";

export interface FunnelRequest {
  /** Tells the requests to one thread apart. */
  number: number;
  collection: readonly [name: string, version: number];
  question: FunnelQuestion;
}

export type FunnelAnswer = { number: number; groups: FunnelGroup[] } | { number: number; failure: unknown };

/**
 * Counts funnels on a thread of its own, one after the other: each is one statement of tenths of a second. The thread
 * starts with the first one, and anew after one that has ended.
 */
export class FunnelThread {
  readonly #path: string;
  #worker: Worker | undefined;
  #requests = 0;
  readonly #asked = new Map<number, PromiseWithResolvers<FunnelGroup[]>>();

  /** @param path of the store's file, which is there. */
  constructor(path: string) {
    this.#path = path;
  }

  /** @throws what SQLite fails with. @throws when the thread ends meanwhile. */
  count(collection: FunnelRequest["collection"], question: FunnelQuestion): Promise<FunnelGroup[]> {
    this.#worker ??= this.#start();
    this.#requests += 1;
    const asked = Promise.withResolvers<FunnelGroup[]>();
    this.#asked.set(this.#requests, asked);
    // While it has nothing to do, it keeps no process alive.
    this.#worker.ref();
    this.#worker.postMessage({ number: this.#requests, collection, question } satisfies FunnelRequest);
    return asked.promise;
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(runnableOf(new URL("funnel-worker.ts", import.meta.url)), { workerData: this.#path });
    worker.on("message", (answer: FunnelAnswer) => this.#take(answer));
    worker.on("error", (error) => this.#failAll(error));
    worker.on("exit", () => {
      if (this.#worker === worker) this.#worker = undefined;
      this.#failAll(new Error("the thread that counts has ended"));
    });
    return worker;
  }

  #take(answer: FunnelAnswer): void {
    const asked = this.#asked.get(answer.number);
    this.#asked.delete(answer.number);
    if (this.#asked.size === 0) this.#worker?.unref();
    if ("failure" in answer) asked?.reject(answer.failure);
    else asked?.resolve(answer.groups);
  }

  #failAll(error: unknown): void {
    for (const { reject } of this.#asked.values()) reject(error);
    this.#asked.clear();
  }
}
