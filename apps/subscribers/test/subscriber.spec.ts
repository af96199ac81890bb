import type { ObligationKind, PublishedObligation } from "@rubrica/domain";
import { sample } from "@rubrica/events";
import { createEmbeddedMessageBus } from "@rubrica/message-bus";
import { isoTime } from "@rubrica/runtime";
import { testRuntime } from "@rubrica/runtime/testing";
import { describe, expect, test } from "vitest";
import { type AnySubscriber, LONG_WORK_MS, type Subscriber, withContinuity } from "../src/subscriber.ts";
import { runSubscribers } from "../src/subscribers.ts";
import { obligationOf } from "./owed.ts";

const kind: ObligationKind = "send-template";
const published = (id: string, dueAt: string): PublishedObligation => ({
  obligation: obligationOf(kind, { id, dueAt }),
  documentId: sample.documentId,
  accountId: sample.accountId,
});

/** A subscriber on a bus, whose work takes as long as the test says. */
const running = (longestMs?: number) => {
  const { clock } = testRuntime();
  const failures: unknown[] = [];
  const bus = createEmbeddedMessageBus({ clock, onError: ({ error }) => failures.push(error) });
  const begun: { id: string; end: () => void; fail: (error: Error) => void }[] = [];
  const subscriber: Subscriber = {
    kind,
    concurrency: 4,
    ...(longestMs === undefined ? {} : { longestMs }),
    meet: ({ obligation: { id } }) =>
      new Promise((end, fail) => {
        begun.push({ id, end, fail });
      }),
  };
  const ending = new AbortController();
  const run = runSubscribers([subscriber], bus, clock, ending.signal);
  let publishings = 0;
  return {
    clock,
    begun,
    failures,
    publish: async (id: string, dueAt = isoTime(0)) => {
      publishings += 1;
      await bus.publish({ id: `${id}:${publishings}`, subject: `obligations.${kind}`, body: published(id, dueAt) });
      await new Promise(setImmediate);
    },
    begunIds: () => begun.map((one) => one.id),
    stop: async () => {
      for (const { end } of begun) end();
      ending.abort();
      await run;
      await bus.close();
    },
  };
};

describe("an obligation", () => {
  test("that is published again while it is being met is met once", async () => {
    const { publish, begunIds, stop } = running();
    for (const id of ["a", "a", "b", "a"]) await publish(id);
    expect(begunIds()).toEqual(["a", "b"]);
    await stop();
  });

  test("is met again when it is published after it was met, or after that failed", async () => {
    const { publish, begun, begunIds, failures, stop } = running();
    await publish("a");
    begun[0]?.end();
    await publish("a");
    const failure = new Error("the provider is gone");
    begun[1]?.fail(failure);
    await publish("a");
    expect(begunIds()).toEqual(["a", "a", "a"]);
    expect(failures).toEqual([failure]);
    await stop();
  });

  test("that was postponed while it was being met is met anew once that has ended, be it by a failure", async () => {
    const { publish, begun, begunIds, failures, stop } = running();
    await publish("a");
    await publish("a", isoTime(1));
    await publish("a", isoTime(1));
    expect(begunIds()).toEqual(["a"]);
    begun[0]?.fail(new Error("what comes after the outcome failed"));
    await new Promise(setImmediate);
    expect(begunIds()).toEqual(["a", "a"]);
    begun[1]?.end();
    await new Promise(setImmediate);
    await publish("a", isoTime(1));
    expect([begunIds(), failures.length]).toEqual([["a", "a", "a"], 1]);
    await stop();
  });

  test("that is published again while it is being met is not acknowledged before it is met", async () => {
    const { publish, begun, failures, stop } = running();
    await publish("a");
    await publish("a");
    const failure = new Error("the provider is gone");
    begun[0]?.fail(failure);
    await new Promise(setImmediate);
    expect(failures).toEqual([failure, failure]);
    await stop();
  });

  test.each([
    ["a kind of short work", undefined, 110],
    ["a kind of long work", LONG_WORK_MS, 600],
  ])("that takes long keeps its message, until it can only hang: %s", async (_, longestMs, believedSeconds) => {
    const { publish, begun, clock, failures, stop } = running(longestMs);
    const pass = async (seconds: number) => {
      for (let passed = 0; passed < seconds; passed += 10) {
        clock.advance(10_000);
        await new Promise(setImmediate);
      }
    };
    await publish("a");
    await pass(believedSeconds);
    expect([begun.length, failures]).toEqual([1, []]);
    await pass(longestMs === undefined ? 60 : 400);
    expect(failures).toMatchObject([{ message: "its handler was silent for too long" }]);
    await stop();
  });
});

describe("what is owed of a stream that was cut", () => {
  const cut = new Error("cut");
  const met: string[] = [];
  const continuity = {
    async check(stream: string) {
      if (stream === `document-${sample.documentId}` || stream === "bulk-b") throw cut;
    },
  };
  const noting: Subscriber = { kind, concurrency: 1, meet: async ({ obligation: { id } }) => void met.push(id) };
  const guarded = withContinuity(continuity, noting) as unknown as { meet: (published: object) => Promise<void> };
  const { obligation } = published("o", isoTime(0));

  test.each<[string, object]>([
    ["a document", { obligation, documentId: sample.documentId }],
    ["a bulk call", { obligation, bulkId: "b" }],
  ])("is not met: %s", async (_whose, owed) => {
    await expect(guarded.meet(owed)).rejects.toBe(cut);
    expect(met).not.toContain(obligation.id);
  });
  test.each<[string, object]>([
    ["another document", { documentId: sample.otherDocumentId }],
    ["notices", { noticesId: "n" }],
    ["the log", { headsId: "log" }],
  ])("but of %s it is", async (whose, owed) => {
    await guarded.meet({ obligation: { ...obligation, id: whose }, ...owed });
    expect(met).toContain(whose);
  });
  test("and the subscriber is else as it was", () => {
    const subscriber: AnySubscriber = { kind, concurrency: 3, longestMs: 5, meet: async () => {} };
    expect(withContinuity(continuity, subscriber)).toMatchObject({ kind, concurrency: 3, longestMs: 5 });
  });
});
