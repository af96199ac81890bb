import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

/** Names the socket on which a service under test tells of its main thread. */
export const SOCKET_VARIABLE = "RUBRICA_EVENT_LOOP_WATCH";
/** A request with this header is written down under that name when it begins and when it ends. */
export const WATCHED_HEADER = "x-watched";

/** What is asked on the socket: with the first, what was told is forgotten. */
export const [BEGIN_ANEW, GO_ON] = ["begin anew", "go on"];

/** What happened to a request that bears {@link WATCHED_HEADER}. */
export interface Watched {
  name: string;
  what: "begun" | "ended";
}

/** What happened to a task for a helper process. */
export interface WatchedTask {
  /** The kind of helper. */
  pool: string;
  /** Who it is done for, as queues count: `account:{id}`, `address:{class}`. */
  caller: string;
  /** `queued`: it has come to wait for a helper. `taken`: it got one. */
  what: "queued" | "taken";
}

/** What the main thread of a service under test has done since it began, or began anew. */
export interface EventLoopReport {
  /** The most processor time that one iteration of its event loop took, at most. */
  longestIterationMs: number;
  /** What of that the operating system took: to start processes, to give memory. */
  longestIterationSystemMs: number;
  /** The longest collection of garbage, in time that passed: tells where a long iteration may come from. */
  longestPauseMs: number;
  /** All of its processor time. */
  totalMs: number;
  /** Requests of watched names, in the order in which the service saw them begin and end. */
  watched: Watched[];
  /** Tasks for helper processes, in the order in which they came and were begun. */
  tasks: WatchedTask[];
  /** Requests that have begun and not ended: their heads are read, their bodies perhaps not. */
  requestsUnderWay: number;
}

/** What makes a service tell of its event loop on this socket: flags for Node, and its environment. */
export const eventLoopWatch = (socket: string): { flags: string[]; environment: Record<string, string> } => ({
  flags: ["--import", pathToFileURL(join(import.meta.dirname, "event-loop-watch.ts")).href],
  environment: { [SOCKET_VARIABLE]: socket },
});

/** Asks a service that was started with {@link eventLoopWatch}; `anew`: what it tells is forgotten. @throws {Error} when it is gone. */
export const eventLoopOf = async (socket: string, { anew = false } = {}): Promise<EventLoopReport> => {
  const connection = connect(socket);
  await once(connection, "connect");
  connection.write(anew ? BEGIN_ANEW : GO_ON);
  return JSON.parse(await text(connection)) as EventLoopReport;
};
