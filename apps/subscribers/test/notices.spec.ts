import { attemptMessage, giveTurn, recordMessageSent, requestDocument } from "@rubrica/domain";
import type { ProviderNotice } from "@rubrica/messaging";
import {
  createProjectionRunner,
  openEmbeddedReadModelStore,
  type ProjectionRunnerOptions,
  projections,
} from "@rubrica/read-models";
import { describe, expect, test } from "vitest";
import {
  contextOf,
  documentIds,
  openWorld,
  requestOf,
  signerOfDocument,
} from "../../../packages/commands/test/world.ts";
import { handleNotice, UnknownMessageError } from "../src/index.ts";

const documentId = documentIds.first;
const signerId = signerOfDocument(documentId);
const message = { signerId, kind: "template" as const, messageId: "obligation-1" };
const named = { providerMessageId: "wamid.1", messageId: message.messageId };

/** A message that is being sent, before its record, with a projector that is as slow as the test says. */
const sending = async (options: Partial<Pick<ProjectionRunnerOptions<never>, "beforeApply">> = {}) => {
  const world = openWorld();
  const { runtime, journal, handlers } = world;
  const readModels = openEmbeddedReadModelStore({ path: ":memory:" });
  const errors: unknown[] = [];
  const runner = createProjectionRunner({
    projections,
    store: readModels,
    subscribe: (after, signal) => journal.subscribe({ after, signal }),
    clock: runtime.clock,
    onError: (error) => errors.push(error),
    ...options,
  });
  const ending = new AbortController();
  const running = runner.run(ending.signal);
  await handlers.documents.handle(documentId, requestDocument, requestOf(documentId), contextOf("request"));
  await handlers.documents.handle(documentId, giveTurn, { signerId }, contextOf("turn"));
  await handlers.documents.handle(documentId, attemptMessage, message, contextOf("attempt"));
  return {
    ...world,
    recordSent: () =>
      handlers.documents.handle(documentId, recordMessageSent, { ...message, ...named }, contextOf("sent")),
    tell: (notice: ProviderNotice) =>
      handleNotice({ handlers, readModels, events: journal.store, freshness: runner, runtime }, notice),
    typesSince: async () => (await world.eventsOf("document", documentId)).slice(3).map(({ type }) => type),
    async [Symbol.asyncDispose]() {
      ending.abort();
      await running;
      await readModels.close();
      await world[Symbol.asyncDispose]();
      expect(errors).toEqual([]);
    },
  };
};

describe("a notice", () => {
  test("that overtakes the projection of the sending waits for it", async () => {
    const held = Promise.withResolvers<void>();
    await using world = await sending({ beforeApply: () => held.promise });
    await world.recordSent();
    const telling = world.tell({ kind: "delivered", providerMessageId: "wamid.1", at: world.runtime.clock.now() });
    held.resolve();
    await telling;
    expect(await world.typesSince()).toEqual(["MessageSent", "MessageDelivered"]);
  });

  test("that overtakes the record of the sending proves it, when it names the message as the service does", async () => {
    await using world = await sending();
    await world.tell({ kind: "delivered", ...named, at: world.runtime.clock.now() });
    await world.recordSent();
    expect(await world.typesSince()).toEqual(["MessageSent", "MessageDelivered"]);
  });

  test.each([
    [{ kind: "answered", answer: "continue" }, ["MessageSent", "MessageDelivered", "TemplateAnswered"]],
    [{ kind: "failed", reason: "unreachable", permanent: true }, ["MessageSent", "MessageFailed"]],
  ] as const)("of any kind does: %j", async (notice, types) => {
    await using world = await sending();
    await world.tell({ ...notice, ...named, at: world.runtime.clock.now() });
    expect(await world.typesSince()).toEqual(types);
  });

  test("that overtakes the record, and does not name the message, is to be told again", async () => {
    await using world = await sending();
    const notice = { kind: "delivered", providerMessageId: "wamid.1", at: world.runtime.clock.now() } as const;
    await expect(world.tell(notice)).rejects.toThrow(UnknownMessageError);
    await world.recordSent();
    await world.tell(notice);
    expect(await world.typesSince()).toEqual(["MessageSent", "MessageDelivered"]);
  });

  test("of a message that nobody knows after a minute is none of ours", async () => {
    await using world = await sending();
    const notice = { kind: "delivered", providerMessageId: "wamid.9", at: world.runtime.clock.now() } as const;
    world.runtime.clock.advance(60_000);
    await expect(world.tell(notice)).rejects.toThrow(UnknownMessageError);
    world.runtime.clock.advance(1);
    await world.tell(notice);
    expect(await world.typesSince()).toEqual([]);
  });

  test("that is told again changes nothing", async () => {
    await using world = await sending();
    const notice = { kind: "delivered", ...named, at: world.runtime.clock.now() } as const;
    await world.tell(notice);
    await world.tell(notice);
    await world.tell({ ...notice, at: notice.at + 1 });
    expect(await world.typesSince()).toEqual(["MessageSent", "MessageDelivered"]);
  });
});
