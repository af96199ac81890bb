import {
  InvalidArgumentError,
  MaxAppendSizeExceededError,
  StreamNotFoundError,
  UnsupportedError,
  WrongExpectedVersionError,
} from "@eventstore/db-client";
import { freePort } from "@rubrica/test-kit";
import { startFailingEventStoreDb } from "@rubrica/test-kit/engines";
import { describe, expect, test } from "vitest";
import { clientOf, type SteadyClient } from "../../src/eventstoredb/client.ts";
import { ERRORS, type Meaning, meaningOf, Silence, SubscriptionOver } from "../../src/eventstoredb/errors.ts";
import { EventStoreDbError } from "../../src/eventstoredb/failure.ts";
import { AppendTooLargeError, ConflictError } from "../../src/index.ts";
import { prepareAppend } from "../../src/prepare-append.ts";
import { anEvent } from "../helpers/events.ts";

const NAMED = { exception: "not-leader", "leader-endpoint-host": "127.0.0.1", "leader-endpoint-port": "1" };

/** What a server ends a call with, and what is made of it. */
const ANSWERS: readonly [string, Meaning, number, string, Record<string, string>?][] = [
  ["not the leader, who is named", "elsewhere", 5, "Leader info available.", NAMED],
  ["not the leader, without trailers", "transient", 5, "Leader info available."],
  ["not the leader, half of the trailers", "transient", 5, "Leader info available.", { exception: "not-leader" }],
  [
    "not the leader, who has no host",
    "transient",
    5,
    "Leader info available.",
    { ...NAMED, "leader-endpoint-host": "" },
  ],
  [
    "not the leader, who has no port",
    "transient",
    5,
    "Leader info available.",
    { ...NAMED, "leader-endpoint-port": "0" },
  ],
  ["no leader", "transient", 2, "No leader info available in response"],
  ["not ready", "transient", 2, "Server Is Not Ready"],
  ["not ready, told as unavailable", "transient", 14, "Server Is Not Ready"],
  ["a deadline that passed", "silent", 4, "Deadline Exceeded"],
  ["members that do not confirm", "transient", 10, "Operation timed out: Prepare phase timeout"],
  ["cancelled by the server", "transient", 1, "Call was cancelled"],
  ["a stream of HTTP/2 that was reset", "transient", 13, "Received RST_STREAM with code 2 (Internal server error)"],
  ["exhausted", "transient", 8, "Too many pending requests"],
  ["data loss", "transient", 15, "torn"],
  ["unknown", "transient", 2, "Exception was thrown by handler."],
  ["no rights", "refused", 7, "Access Denied", { exception: "access-denied" }],
  ["no rights, without trailers", "refused", 7, "Access Denied"],
  ["a wrong password", "refused", 16, "Authentication Failed"],
  ["a deleted stream", "refused", 9, "Stream is deleted", { exception: "stream-deleted", "stream-name": "a" }],
  ["a deleted stream, without trailers", "refused", 9, "Stream is deleted", { exception: "stream-deleted" }],
  ["an invalid argument", "refused", 3, "invalid"],
  ["not found", "refused", 5, "nothing is there"],
  ["already there", "refused", 6, "it is there"],
  ["out of range", "refused", 11, "out of range"],
  ["unimplemented", "refused", 12, "unimplemented"],
  [
    "a conflict, told as an error",
    "conflict",
    9,
    "wrong",
    { exception: "wrong-expected-version", "stream-name": "a", "expected-version": "1", "actual-version": "2" },
  ],
  ["a conflict, without trailers", "refused", 9, "wrong", { exception: "wrong-expected-version" }],
  [
    "too large",
    "too_large",
    3,
    "Maximum Append Size Exceeded.",
    { exception: "maximum-append-size-exceeded", "maximum-append-size": "1048576" },
  ],
  ["too large, without trailers", "refused", 3, "Exceeded.", { exception: "maximum-append-size-exceeded" }],
];

const drained = async (items: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of items);
};

const CALLS: Readonly<Record<string, (client: SteadyClient) => Promise<unknown>>> = {
  append: (client) => client.append(prepareAppend("a", "no_stream", [anEvent()]), 5_000),
  "read of a stream": (client) => drained(client.readStream("a", { requiresLeader: true })),
  "read of all": (client) => drained(client.readAll({ requiresLeader: true })),
  subscription: (client) => drained(client.subscribeToAll({ requiresLeader: true })),
};

const errorOf = async (client: SteadyClient, call: (client: SteadyClient) => Promise<unknown>): Promise<unknown> => {
  try {
    await call(client);
  } catch (error) {
    return error;
  } finally {
    await client.close();
  }
  throw new Error("the call succeeded");
};

/** The errors that no answer of a server leads to. */
const MADE: readonly [string, Meaning, () => unknown][] = [
  ["an engine that was not reached", "transient", () => new EventStoreDbError("unreachable", "")],
  ["a store that was closed", "given", () => new EventStoreDbError("closed", "")],
  ["a conflict that was found here", "given", () => new ConflictError("a", 1n, 2n)],
  ["a size that was found here", "given", () => new AppendTooLargeError(1)],
  ["a mistake here", "given", () => new TypeError("bigint")],
  ["a conflict", "conflict", () => new WrongExpectedVersionError(null as never, versions)],
  ["a size", "too_large", () => MaxAppendSizeExceededError.fromMaxAppendSize(1)],
  ["a stream that is not there", "absent", () => new StreamNotFoundError(null as never, "a")],
  ["what this client can't do", "refused", () => new UnsupportedError("a feature", "99")],
  ["what this client does not send", "refused", () => new InvalidArgumentError("a revision")],
  ["silence", "silent", () => new Silence(1)],
  ["the end of a subscription", "transient", () => new SubscriptionOver()],
  ["a plain error of code 14", "transient", () => Object.assign(new Error("14 UNAVAILABLE"), { code: 14 })],
  ["a plain error of code 4", "silent", () => Object.assign(new Error("4 DEADLINE_EXCEEDED"), { code: 4 })],
  ["what is no error", "transient", () => "gone"],
];
const versions = { streamName: "a", expected: 1n, current: 2n } as never;

describe.each(Object.entries(CALLS))("what ends a call (%s)", (_name, call) => {
  test.each(ANSWERS)("%s: %s", async (_what, means, code, details, trailers = {}) => {
    await using server = await startFailingEventStoreDb({ code, details, trailers });
    expect(meaningOf(await errorOf(clientOf(server.url), call))).toBe(means);
  });

  test("a server that nobody finds: transient", async () => {
    const port = await freePort();
    expect(meaningOf(await errorOf(clientOf(`esdb://127.0.0.1:${port}?tls=false`), call))).toBe("transient");
    const cluster = `esdb+discover://127.0.0.1:${port}?tls=false&discoveryInterval=10`;
    expect(meaningOf(await errorOf(clientOf(cluster), call))).toBe("transient");
  });
});

test.each(MADE)("%s: %s", (_what, means, make) => {
  expect(meaningOf(make())).toBe(means);
});

test("every row of the table is tried here", () => {
  const made = MADE.map(([, , make]) => make()).filter((error) => error instanceof Error);
  const tried = made.map((error) => ERRORS.find(({ is }) => is(error, Reflect.get(error, "code"))));
  // By answers of a server, above.
  expect(ERRORS.filter((row) => !tried.includes(row)).map(({ what }) => what)).toEqual([
    "not the leader, who is named",
    "a stream that was deleted",
    "no access: a wrong password, no rights",
    "not there, starting, electing",
    "a write that the members did not confirm in time",
    "a call that the server cancelled",
    "invalid, absent, already there, not permitted, a failed precondition, out of range, unknown, not known who",
    "anything else",
  ]);
});
