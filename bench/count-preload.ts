// Preloaded into a service (`node --import`) whose work is counted: each of its threads writes what it counted to a file
// whose name begins as COUNTED_FILE says, soon after each change.
import childProcess, { type ChildProcess } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { renameSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { threadId } from "node:worker_threads";

/** What a service did since it started. */
export interface Counted {
  /** How often each SQL text was run, but for pragmas. */
  statements: Record<string, number>;
  helperTasks: number;
  httpRequests: number;
}

const path = process.env.COUNTED_FILE && `${process.env.COUNTED_FILE}.${threadId}`;
const counted: Counted = { statements: {}, helperTasks: 0, httpRequests: 0 };
let isToBeTold = false;

const tell = (): void => {
  if (isToBeTold) return;
  isToBeTold = true;
  setImmediate(() => {
    isToBeTold = false;
    if (!path) return;
    // Whoever reads it finds all of it.
    writeFileSync(`${path}.new`, JSON.stringify(counted));
    renameSync(`${path}.new`, path);
  });
};

const countStatement = (sql: string): void => {
  const text = sql.trim();
  if (/^pragma/i.test(text)) return;
  counted.statements[text] = (counted.statements[text] ?? 0) + 1;
  tell();
};

/** Puts a function before a method, which is told what that is called with. */
const before = <Of extends object>(object: Of, method: keyof Of, told: (self: Of, first: unknown) => void): void => {
  const original = object[method] as (...given: unknown[]) => unknown;
  const counting = function (this: Of, ...given: unknown[]): unknown {
    told(this, given[0]);
    return original.apply(this, given);
  };
  object[method] = counting as Of[typeof method];
};

for (const method of ["run", "get", "all", "iterate"] as const)
  before(StatementSync.prototype, method, ({ sourceSQL }) => countStatement(sourceSQL));
before(DatabaseSync.prototype, "exec", (_database, sql) => countStatement(String(sql)));

const { fork } = childProcess;
childProcess.fork = ((...given: Parameters<typeof fork>) => {
  const child = fork(...given);
  before<ChildProcess>(child, "send", (_child, message) => {
    if (typeof message !== "object" || message === null || !("task" in message)) return;
    counted.helperTasks += 1;
    tell();
  });
  return child;
}) as typeof fork;
syncBuiltinESMExports();

subscribe("http.server.request.start", () => {
  counted.httpRequests += 1;
  tell();
});
