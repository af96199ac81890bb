import { receiveNotices } from "@rubrica/commands";
import { attemptMessage, recordMessageSent, recordTurnCome, requestDocument } from "@rubrica/domain";
import { type Notice, noticesIdOf, sample } from "@rubrica/events";
import { createProjectionRunner, type ProjectionRunnerOptions } from "@rubrica/projector/running";
import { noticesObligations, openEmbeddedReadModelStore, projectionsBy } from "@rubrica/read-models";
import { isoTime } from "@rubrica/runtime";
import { eventually } from "@rubrica/test-kit";
import { contextOf, documentIds, openWorld, requestOf, signerOfDocument } from "@rubrica/test-kit/commands";
import { describe, expect, test } from "vitest";
import { noticeSubscriber } from "../src/notices.ts";

const DAY_MS = 86_400_000;
const documentId = documentIds.first;
const signerId = signerOfDocument(documentId);
const message = { signerId, kind: "template" as const, messageId: "obligation-1" };
const at = "2026-01-01T00:00:00.000Z";
const byProvider = { providerMessageId: "wamid.1", messageId: null, at };
const named = { ...byProvider, messageId: message.messageId };

/** A message that is being sent, before its record, with a projector that is as slow as the test says. */
const sending = async (options: Partial<Pick<ProjectionRunnerOptions<never>, "beforeApply">> = {}) => {
  const world = openWorld();
  const { runtime, journal, handlers } = world;
  const readModels = openEmbeddedReadModelStore({ path: ":memory:" });
  const errors: unknown[] = [];
  const dropped: number[] = [];
  const runner = createProjectionRunner({
    projections: projectionsBy((...parts) => parts.join("/")),
    store: readModels,
    subscribe: (after, signal) => journal.subscribe({ after, signal }),
    clock: runtime.clock,
    onStopped: (error) => errors.push(error),
    ...options,
  });
  const ending = new AbortController();
  const running = runner.run(ending.signal);
  await handlers.documents.handle(documentId, requestDocument, requestOf(documentId), contextOf("request"));
  await handlers.documents.handle(documentId, recordTurnCome, { signerId }, contextOf("turn"));
  await handlers.documents.handle(
    documentId,
    attemptMessage,
    { providerBy: () => sample.provider, ...message, attempt: 1, media: ["wpp"], now: runtime.clock.now() },
    contextOf("attempt"),
  );
  const onNoticesDropped = (count: number) => void dropped.push(count);
  const { meet } = noticeSubscriber({ handlers, readModels, runtime, media: ["wpp"], onNoticesDropped });
  const due = (notices: readonly Notice[]) =>
    eventually("the notices' obligation", async () => {
      const found = await readModels.get(noticesObligations, noticesIdOf(notices));
      return found?.document.open[0];
    });
  return {
    ...world,
    dropped,
    recordSent: () =>
      handlers.documents.handle(
        documentId,
        recordMessageSent,
        { ...message, providerMessageId: "wamid.1" },
        contextOf("sent"),
      ),
    receive: (...notices: Notice[]) => receiveNotices(handlers, "wpp", notices, runtime.clock),
    /** Meets the obligation for the notices, as it was published first. */
    meet: async (...notices: Notice[]) => {
      const obligation = await due(notices);
      await meet({ obligation, noticesId: noticesIdOf(notices), accountId: "provider" });
    },
    meetPublished: meet,
    typesSince: async () => (await world.eventsOf("document", documentId)).slice(3).map(({ type }) => type),
    handling: async (...notices: Notice[]) =>
      (await world.eventsOf("notices", noticesIdOf(notices))).slice(1).map(({ type, data }) => ({ type, ...data })),
    async [Symbol.asyncDispose]() {
      ending.abort();
      await running;
      await readModels.close();
      await world[Symbol.asyncDispose]();
      expect(errors).toEqual([]);
    },
  };
};

describe("notices", () => {
  test("are owed once the projection is there, however long that takes, and then have their document", async () => {
    const held = Promise.withResolvers<void>();
    await using world = await sending({ beforeApply: () => held.promise });
    const pressed: Notice = { ...byProvider, kind: "answered", answer: "continue" };
    await world.recordSent();
    await world.receive(pressed);
    world.runtime.clock.advance(3_600_000);
    held.resolve();
    await world.meet(pressed);
    expect(await world.typesSince()).toEqual(["MessageSent", "MessageDelivered", "TemplateAnswered"]);
    expect(await world.handling(pressed)).toEqual([{ type: "NoticesHandled", attempt: 1, recorded: 1, dropped: 0 }]);
  });

  test("that overtake the record of the sending prove it, when they name the message as the service does", async () => {
    await using world = await sending();
    const notice: Notice = { kind: "delivered", ...named };
    await world.receive(notice);
    await world.meet(notice);
    await world.recordSent();
    expect(await world.typesSince()).toEqual(["MessageSent", "MessageDelivered"]);
  });

  test.each([
    [{ kind: "answered", answer: "continue" }, ["MessageSent", "MessageDelivered", "TemplateAnswered"]],
    [{ kind: "failed", reason: "unreachable", permanent: true }, ["MessageSent", "MessageFailed"]],
  ] as const)("of any kind do: %j", async (notice, types) => {
    await using world = await sending();
    await world.receive({ ...notice, ...named });
    await world.meet({ ...notice, ...named });
    expect(await world.typesSince()).toEqual(types);
  });

  test("that overtake the record, and do not name the message, are looked up again; the others with them are not kept back", async () => {
    await using world = await sending();
    const late: Notice = { kind: "read", ...byProvider };
    const together: Notice[] = [late, { kind: "delivered", ...named, providerMessageId: "wamid.2" }];
    await world.receive(...together);
    await world.meet(...together);
    expect(await world.typesSince()).toEqual(["MessageSent", "MessageDelivered"]);
    const nextAttemptAt = isoTime(world.runtime.clock.now() + 2_000).slice(0, 19);
    expect(await world.handling(...together)).toEqual([
      expect.objectContaining({
        type: "NoticesPostponed",
        recorded: 1,
        unmatched: 1,
        nextAttemptAt: expect.stringContaining(nextAttemptAt),
      }),
    ]);
    await world.recordSent();
    await eventually("the second copy's record", async () => {
      await world.meet(...together);
      return (await world.handling(...together)).at(-1)?.type === "NoticesHandled";
    });
    expect(await world.typesSince()).toEqual(["MessageSent", "MessageDelivered", "MessageSent", "MessageRead"]);
    expect(world.dropped).toEqual([]);
  });

  test("of a message that nobody knows for seven days are counted and dropped", async () => {
    await using world = await sending();
    const unknown: Notice = { kind: "delivered", ...byProvider, providerMessageId: "wamid.9" };
    await world.receive(unknown);
    await world.meet(unknown);
    world.runtime.clock.advance(7 * DAY_MS);
    expect(world.dropped).toEqual([]);
    await world.meet(unknown);
    expect((await world.handling(unknown)).at(-1)).toEqual({
      type: "NoticesHandled",
      attempt: 2,
      recorded: 0,
      dropped: 1,
    });
    expect(world.dropped).toEqual([1]);
    expect(await world.typesSince()).toEqual([]);
  });

  test("that come again, or are handled again, change nothing", async () => {
    await using world = await sending();
    const notice: Notice = { kind: "delivered", ...named };
    await Promise.all([world.receive(notice), world.receive(notice)]);
    await world.receive(notice);
    const obligation = { id: "o", kind: "handle-notices", signerId: null, webhookType: null } as const;
    const due = { dueAt: at, since: at, attempts: 0, reason: null };
    const published = {
      obligation: { ...obligation, ...due },
      noticesId: noticesIdOf([notice]),
      accountId: "provider",
    };
    await world.meet(notice);
    await world.receive(notice);
    await world.meetPublished(published);
    const again: Notice = { ...notice, at: "2026-01-01T00:00:01.000Z" };
    await world.receive(again);
    await world.meet(again);
    expect(await world.typesSince()).toEqual(["MessageSent", "MessageDelivered"]);
    expect(await world.eventsOf("notices", noticesIdOf([notice]))).toHaveLength(2);
  });
});
