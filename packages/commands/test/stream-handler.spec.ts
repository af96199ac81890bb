import { claimTurn, DomainError, leaveLine, type PhoneLine, phoneLineFold, requestDocument } from "@rubrica/domain";
import { ConflictError, type EventStore } from "@rubrica/event-store";
import { openEmbeddedEventStore } from "@rubrica/event-store/embedded";
import { derivedId, findBrokenLink, type PhoneLineEvent, streamName } from "@rubrica/events";
import { Journal } from "@rubrica/journal";
import { testRuntime } from "@rubrica/runtime/testing";
import { createSecrets } from "@rubrica/secrets";
import { openEmbeddedKeyStore } from "@rubrica/storage/embedded";
import { contextOf, lineId, openWorld, requestOf, signerOfDocument } from "@rubrica/test-kit/commands";
import { describe, expect, test, vi } from "vitest";
import { StreamHandler } from "../src/index.ts";

const stream = streamName("phoneLine", lineId);
const claim = (name: string) => {
  const documentId = derivedId(name);
  return { documentId, signerId: signerOfDocument(documentId) };
};

/** One store, and as many processes on it as are asked for. */
const openStore = () => {
  const runtime = testRuntime();
  const instantly = { ...runtime, clock: { ...runtime.clock, now: () => runtime.clock.now(), wait: async () => {} } };
  const secrets = createSecrets({ current: runtime.random.bytes(32) });
  const keys = openEmbeddedKeyStore({ path: ":memory:", secrets, ...runtime });
  const store = openEmbeddedEventStore({ path: ":memory:", ...runtime });
  const rawEvents = async () => {
    const events = [];
    for await (const event of store.readStream(stream)) events.push(event);
    return events;
  };
  return {
    clock: runtime.clock,
    store,
    /** A process's handler; `over` puts something between it and the store. */
    process: (over: Partial<EventStore> = {}) => {
      const reached: EventStore = {
        append: (...args) => store.append(...args),
        readStream: (...args) => store.readStream(...args),
        readLast: (name) => store.readLast(name),
        streamEnd: (name) => store.streamEnd(name),
        readAll: (...args) => store.readAll(...args),
        readHashes: (...args) => store.readHashes(...args),
        subscribeToAll: (options) => store.subscribeToAll(options),
        lastPosition: () => store.lastPosition(),
        close: async () => {},
        ...over,
      };
      const journal = new Journal(reached, keys, instantly);
      return new StreamHandler<PhoneLine, PhoneLineEvent>(journal, "phoneLine", phoneLineFold, instantly);
    },
    documents: async () => (await rawEvents()).map(({ data }) => (data.data as { documentId: string }).documentId),
    brokenLink: async () =>
      findBrokenLink(
        (await rawEvents()).map(({ revision, type, data: { data, personal }, metadata }) => ({
          ...{ stream, revision, type, data, metadata },
          personal: personal as string | null,
        })),
      ),
    async [Symbol.asyncDispose]() {
      await store.close();
      await keys.close();
    },
  };
};

const claimBy = (handler: StreamHandler<PhoneLine, PhoneLineEvent>, name: string, commandId = name) =>
  handler.handle(lineId, claimTurn, claim(name), contextOf(commandId));

describe("within a process", () => {
  test("commands to one stream queue up: each is appended once, in their order, without a conflict", async () => {
    await using opened = openStore();
    let appends = 0;
    const handler = opened.process({
      append: (...args) => {
        appends += 1;
        return opened.store.append(...args);
      },
    });
    const names = Array.from({ length: 30 }, (_, number) => `document ${number}`);
    await Promise.all(names.map((name) => claimBy(handler, name)));
    expect(appends).toBe(30);
    expect(await opened.documents()).toEqual(names.map((name) => claim(name).documentId));
    expect(await opened.brokenLink()).toBeUndefined();
  });

  test("a command that is refused, or fails, leaves nothing and holds up nobody", async () => {
    await using opened = openStore();
    const handler = opened.process();
    const refuse = () => {
      throw new DomainError("unknown_document", "there is no such document");
    };
    const outcomes = await Promise.allSettled([
      handler.handle(lineId, refuse, {}, contextOf("refused")),
      claimBy(handler, "first"),
      handler.handle(lineId, refuse, {}, contextOf("refused again")),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "rejected"]);
    expect(await opened.documents()).toEqual([claim("first").documentId]);
  });

  test("a command done already makes no event, and gives the state as it is", async () => {
    await using opened = openStore();
    const handler = opened.process();
    const first = await claimBy(handler, "first");
    expect(first.events.map(({ type }) => type)).toEqual(["TurnTaken"]);
    await claimBy(handler, "second");
    const again = await claimBy(handler, "first", "another command");
    expect(again.events).toEqual([]);
    expect(again.state).toMatchObject({ holder: { documentId: claim("first").documentId }, queue: [claim("second")] });
  });

  test("a command that a known stream lets happen reads nothing", async () => {
    await using opened = openStore();
    const from: (bigint | undefined)[] = [];
    const handler = opened.process({
      readStream: (name, revision) => {
        from.push(revision);
        return opened.store.readStream(name, revision);
      },
    });
    for (const name of ["first", "second", "third"]) await claimBy(handler, name);
    expect(from).toEqual([0n]);
  });

  test("the state of a stream that does not exist is the initial one", async () => {
    await using opened = openStore();
    expect(await opened.process().load(lineId)).toEqual(phoneLineFold.initial);
  });
});

describe("between processes", () => {
  test("what another one appended is seen at the next command", async () => {
    await using opened = openStore();
    const [here, there] = [opened.process(), opened.process()];
    await claimBy(here, "first");
    await claimBy(there, "second");
    const third = await claimBy(here, "third");
    expect(third.state.queue).toEqual([claim("second"), claim("third")]);
    expect(await opened.brokenLink()).toBeUndefined();
  });

  test("a conflict means: read again, decide again", async () => {
    await using opened = openStore();
    const there = opened.process();
    let first = true;
    const here = opened.process({
      append: async (...args) => {
        if (first) await claimBy(there, "faster");
        first = false;
        return opened.store.append(...args);
      },
    });
    const { state, events } = await claimBy(here, "slower");
    expect(events.map(({ type }) => type)).toEqual(["TurnQueued"]);
    expect(state).toMatchObject({ holder: { documentId: claim("faster").documentId }, queue: [claim("slower")] });
    expect(await opened.documents()).toEqual([claim("faster").documentId, claim("slower").documentId]);
  });

  test("after 20 conflicts the command is given up; any other failure is told at once", async () => {
    await using opened = openStore();
    let attempts = 0;
    const failing = (error: Error) =>
      opened.process({
        append: async () => {
          attempts += 1;
          throw error;
        },
      });
    await expect(claimBy(failing(new ConflictError(stream, "no_stream", 5n)), "late")).rejects.toThrow(ConflictError);
    expect(attempts).toBe(20);
    await expect(claimBy(failing(new Error("disk full")), "late")).rejects.toThrow("disk full");
    expect(attempts).toBe(21);
  });

  test("what is refused by what is remembered is decided again on what is stored", async () => {
    await using opened = openStore();
    const [here, there] = [opened.process(), opened.process()];
    const refuseBehind = (line: PhoneLine, command: ReturnType<typeof claim>) => {
      if (line.queue.length > 0) throw new DomainError("not_next_signer", "somebody waits");
      return claimTurn(line, command);
    };
    for (const name of ["first", "second"]) await claimBy(here, name);
    const command = claim("third");
    await expect(here.handle(lineId, refuseBehind, command, contextOf("third"))).rejects.toThrow(DomainError);
    await there.handle(lineId, leaveLine, { ...claim("second"), reason: "signed" }, contextOf("leave"));
    const { events } = await here.handle(lineId, refuseBehind, command, contextOf("third"));
    expect(events.map(({ type, revision }) => [type, revision])).toEqual([["TurnQueued", 3n]]);
  });

  test("where there was nothing to do, by what is remembered, is looked again", async () => {
    await using opened = openStore();
    const [here, there] = [opened.process(), opened.process()];
    await claimBy(here, "first");
    await there.handle(lineId, leaveLine, { ...claim("first"), reason: "signed" }, contextOf("leave"));
    const { events } = await claimBy(here, "first");
    expect(events.map(({ type, revision }) => [type, revision])).toEqual([["TurnTaken", 2n]]);
    expect(await opened.brokenLink()).toBeUndefined();
  });

  test("what a load began to read before an append is not remembered in its place", async () => {
    await using opened = openStore();
    const read = Promise.withResolvers<void>();
    let slow = false;
    let reads = 0;
    const here = opened.process({
      readStream: async function* (...args) {
        reads += 1;
        const wait = slow;
        slow = false;
        yield* opened.store.readStream(...args);
        if (wait) await read.promise;
      },
    });
    await claimBy(here, "first");
    slow = true;
    const loading = here.load(lineId);
    await claimBy(here, "second");
    read.resolve();
    await loading;
    reads = 0;
    expect((await claimBy(here, "third")).state.queue).toEqual([claim("second"), claim("third")]);
    expect(reads).toBe(0);
  });

  test("the same command in two processes at once is there once, and the chain goes on from what is stored", async () => {
    await using opened = openStore();
    const there = opened.process();
    let first = true;
    const here = opened.process({
      append: async (...args) => {
        if (first) {
          first = false;
          opened.clock.advance(5_000);
          await claimBy(there, "same");
        }
        return opened.store.append(...args);
      },
    });
    expect((await claimBy(here, "same")).events).toEqual([]);
    expect(await opened.documents()).toEqual([claim("same").documentId]);
    await claimBy(here, "next");
    await claimBy(there, "last");
    expect(await opened.documents()).toEqual(["same", "next", "last"].map((name) => claim(name).documentId));
    expect(await opened.brokenLink()).toBeUndefined();
  });

  test("an append whose answer was lost is not repeated as another", async () => {
    await using opened = openStore();
    let lost = false;
    const here = opened.process({
      append: async (...args) => {
        const result = await opened.store.append(...args);
        if (lost) return result;
        lost = true;
        throw new Error("connection lost");
      },
    });
    await expect(claimBy(here, "first")).rejects.toThrow("connection lost");
    const again = await claimBy(here, "first");
    expect(again.events).toEqual([]);
    expect(await opened.documents()).toEqual([claim("first").documentId]);
  });
});

test("what is kept of streams is bounded by what they weigh, not by their number alone", async () => {
  await using world = openWorld();
  const ids = Array.from({ length: 160 }, (_, number) => derivedId("heavy", String(number)));
  for (const documentId of ids) {
    const heavy = requestOf(documentId, { variables: { text: "x".repeat(600_000) } });
    await world.handlers.documents.handle(documentId, requestDocument, heavy, contextOf(documentId));
  }
  const read = vi.spyOn(world.journal, "read");
  await world.handlers.documents.load(String(ids.at(-1)));
  expect(read).not.toHaveBeenCalled();
  await world.handlers.documents.load(String(ids[0]));
  expect(read).toHaveBeenCalledOnce();
});
