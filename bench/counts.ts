import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Counted } from "./count-preload.ts";
import { createPosts, type Posts } from "./http.ts";
import { runtime, withFolder } from "./measure.ts";
import { API_KEY, messagesTo, startRubrica } from "./servers.ts";

const { clock } = runtime;
const POLL_MS = 50;
const LEARNING_MS = 4_000;
/** Nothing more comes of a document that was accepted when nothing was counted for so long. */
const QUIET_MS = 1_500;
/** What is traced of the system. */
const TRACED = "fsync,fdatasync,write,pwrite64,writev,pwritev";
const GIVE_UP_MS = 30_000;

/** What one document takes from its request to its message, in a fresh folder with nothing else to do. */
export interface LoneDocument {
  /** `fsync` and `fdatasync`, and bytes written to files of the data folder. Without `strace`, not known. */
  syncs?: number;
  bytesWritten?: number;
  sqlStatements: number;
  helperTasks: number;
  httpRequests: number;
}

const hasStrace = (): boolean => spawnSync("strace", ["-V"], { stdio: "ignore" }).status === 0;

/** Of `strace -y`: `write(23</data/file>, "..."..., 4096) = 4096`, the call maybe resumed after others. */
const CALL = /(fsync|fdatasync|p?write(?:64|v)?v?2?)\((\d+)<([^>]*)>/;

/** Syncs and bytes that a trace tells from some line on. */
const traced = (path: string, folder: string, fromLine: number): { syncs: number; bytesWritten: number } => {
  let [syncs, bytesWritten] = [0, 0];
  const unfinished = new Map<string, { call: string; path: string }>();
  for (const line of linesOf(path).slice(fromLine)) {
    const thread = line.slice(0, line.indexOf(" "));
    const [, call = "", , file = ""] = CALL.exec(line) ?? [];
    const resumed = line.includes("resumed>") ? unfinished.get(thread) : undefined;
    const begun = call ? { call, path: file } : resumed;
    if (!begun?.path.startsWith(folder)) continue;
    if (line.includes("<unfinished")) {
      unfinished.set(thread, begun);
      continue;
    }
    unfinished.delete(thread);
    if (begun.call.endsWith("sync")) syncs += 1;
    else bytesWritten += Math.max(0, Number(/= (\d+)$/.exec(line.trim())?.[1] ?? 0));
  }
  return { syncs, bytesWritten };
};

const linesOf = (path: string): string[] => readFileSync(path, "latin1").split("\n");

/** What a service that is counted tells. */
class Counter {
  readonly #path: string;
  /** SQL that is run all the time, by which others' writes are looked for. */
  #polled = new Set<string>();

  constructor(path: string) {
    this.#path = path;
  }

  /** Learns what is counted while nothing is asked for. */
  async learn(): Promise<void> {
    await clock.wait(LEARNING_MS);
    const before = this.#read();
    await clock.wait(LEARNING_MS);
    const after = this.#read().statements;
    this.#polled = new Set(Object.keys(after).filter((sql) => after[sql] !== before.statements[sql]));
  }

  /** What was counted, when nothing more is. */
  async settled(): Promise<Omit<LoneDocument, "syncs" | "bytesWritten">> {
    let last = this.#now();
    const deadlineMs = clock.monotonicMs() + GIVE_UP_MS;
    for (let sinceMs = clock.monotonicMs(); clock.monotonicMs() - sinceMs < QUIET_MS; ) {
      if (clock.monotonicMs() > deadlineMs) throw new Error("a service that is counted does not come to rest");
      await clock.wait(POLL_MS);
      const now = this.#now();
      if (JSON.stringify(now) !== JSON.stringify(last)) [last, sinceMs] = [now, clock.monotonicMs()];
    }
    return last;
  }

  #now() {
    const { statements, helperTasks, httpRequests } = this.#read();
    const own = Object.entries(statements).filter(([sql]) => !this.#polled.has(sql));
    return { sqlStatements: own.reduce((sum, [, count]) => sum + count, 0), helperTasks, httpRequests };
  }

  /** Of all threads together. */
  #read(): Counted {
    const sum: Counted = { statements: {}, helperTasks: 0, httpRequests: 0 };
    for (const file of globSync(`${this.#path}.[0-9]`)) {
      const { statements, helperTasks, httpRequests }: Counted = JSON.parse(readFileSync(file, "utf8"));
      for (const [sql, count] of Object.entries(statements)) sum.statements[sql] = (sum.statements[sql] ?? 0) + count;
      sum.helperTasks += helperTasks;
      sum.httpRequests += httpRequests;
    }
    return sum;
  }
}

const request = async (url: string, { phone, body }: ReturnType<Posts["next"]>): Promise<void> => {
  const headers = { "content-type": "application/json", "x-api-key": API_KEY };
  const response = await fetch(`${url}/api/v2/documentSet`, { method: "POST", headers, body });
  if (!response.ok) throw new Error(`a document was answered ${response.status}`);
  await response.arrayBuffer();
  await clock.wait(QUIET_MS);
  if ((await messagesTo(url, phone)).length !== 1) throw new Error("a message was not sent in time");
};

/** Counts what one document takes, the second one after a start, since the first one opens things that stay open. */
export const countLoneDocument = (): Promise<LoneDocument> =>
  withFolder(async (folder) => {
    const [data, told, trace] = [join(folder, "data"), join(folder, "counted.json"), join(folder, "trace")];
    const under = hasStrace() ? ["strace", "-f", "-y", "-o", trace, "-e", `trace=${TRACED}`] : [];
    const flags = ["--import", join(import.meta.dirname, "count-preload.ts")];
    const rubrica = await startRubrica(data, { COUNTED_FILE: told }, { under, flags });
    try {
      const [counter, posts] = [new Counter(told), await createPosts()];
      await request(rubrica.url, posts.next());
      await counter.learn();
      const before = await counter.settled();
      const fromLine = under.length > 0 ? linesOf(trace).length - 1 : 0;
      await request(rubrica.url, posts.next());
      const after = await counter.settled();
      return {
        ...(under.length > 0 ? traced(trace, data, fromLine) : {}),
        sqlStatements: after.sqlStatements - before.sqlStatements,
        helperTasks: after.helperTasks - before.helperTasks,
        // The look for its message is no part of it.
        httpRequests: after.httpRequests - before.httpRequests - 1,
      };
    } finally {
      await rubrica.stop();
    }
  });
