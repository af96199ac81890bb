// Preloaded into a service under test (`node --import`). It tells over a socket what the service's main thread has done:
// in processor time, which is the same however busy the machine is.
import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:net";
import { PerformanceObserver } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";
import { systemClock } from "@rubrica/runtime";
import {
  BEGIN_ANEW,
  type EventLoopReport,
  SOCKET_VARIABLE,
  WATCHED_HEADER,
  type WatchedTask,
} from "./event-loop-report.ts";

const TICK_MS = 5;

const empty = (): Omit<EventLoopReport, "requestsUnderWay"> => ({
  longestIterationMs: 0,
  longestIterationSystemMs: 0,
  longestPauseMs: 0,
  totalMs: 0,
  watched: [],
  tasks: [],
});

let report = empty();
let requestsUnderWay = 0;
let last = process.threadCpuUsage();

/** What the thread computed since the last look bounds each iteration of the event loop since then. */
const look = (): void => {
  const now = process.threadCpuUsage();
  const systemMs = (now.system - last.system) / 1_000;
  const iterationMs = systemMs + (now.user - last.user) / 1_000;
  last = now;
  report.totalMs += iterationMs;
  if (iterationMs <= report.longestIterationMs) return;
  report.longestIterationMs = iterationMs;
  report.longestIterationSystemMs = systemMs;
};

const tick = async (): Promise<void> => {
  for (;;) {
    await systemClock.wait(TICK_MS, { background: true });
    look();
  }
};

const follow = (message: unknown): void => {
  const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
  const name = request.headers[WATCHED_HEADER];
  requestsUnderWay += 1;
  if (typeof name === "string") report.watched.push({ name, what: "begun" });
  response.once("close", () => {
    requestsUnderWay -= 1;
    if (typeof name === "string") report.watched.push({ name, what: "ended" });
  });
};

const followPauses = (): void => {
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) report.longestPauseMs = Math.max(report.longestPauseMs, duration);
  });
  observer.observe({ entryTypes: ["gc"] });
};

const serve = (socket: string): void => {
  const server = createServer((connection) => {
    // Whoever asks may be gone.
    connection.on("error", () => undefined);
    connection.once("data", (question) => {
      look();
      connection.end(JSON.stringify({ ...report, requestsUnderWay } satisfies EventLoopReport));
      if (String(question) === BEGIN_ANEW) report = empty();
    });
  });
  server.listen(socket);
  server.unref();
};

const socket = process.env[SOCKET_VARIABLE];
// Threads of the service preload this too.
if (isMainThread && socket !== undefined) {
  subscribe("http.server.request.start", follow);
  subscribe("rubrica:helpers:task", (task) => report.tasks.push(task as WatchedTask));
  serve(socket);
  followPauses();
  void tick();
}
