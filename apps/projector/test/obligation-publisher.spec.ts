import { derivedId, sample } from "@rubrica/events";
import { bulkObligations, noticesObligations } from "@rubrica/read-models";
import { isoTime } from "@rubrica/runtime";
import { describe, expect, test } from "vitest";
import { openWorld, owed, settled } from "./given.ts";

const second = 1_000;
const minute = 60 * second;
const many = (count: number, name: string) => Array.from({ length: count }, (_, number) => owed(`${name}-${number}`));

describe("when", () => {
  test("what is due is published at the start, and what falls due later when its time comes", async () => {
    const { write, start, news, pass } = openWorld();
    await write("a", [owed("now"), owed("soon", 10 * second)]);
    await write("b", [owed("later", 10 * minute)]);
    const { stop } = start();
    expect(await news()).toEqual(["now"]);
    await pass(9_750);
    expect(await news()).toEqual([]);
    await pass(250);
    expect(await news()).toEqual(["soon"]);
    await pass(10 * minute);
    expect((await news()).filter((id) => id === "later")).toEqual(["later"]);
    await stop();
  });

  test("what the projection tells of is published at once", async () => {
    const { start, news } = openWorld();
    const { change, stop } = start();
    await settled();
    await change("a", [owed("told")]);
    expect(await news()).toEqual(["told"]);
    await stop();
  });

  test("what the projection tells of, and is due later, is published then", async () => {
    const { start, news, pass } = openWorld();
    const { change, stop } = start();
    await settled();
    await change("a", [owed("told", 5 * second)]);
    await pass(4_750);
    expect(await news()).toEqual([]);
    await pass(250);
    expect(await news()).toEqual(["told"]);
    await stop();
  });

  test("what stays open is published again after 30 s, doubling to 10 min", async () => {
    const { write, start, news, pass } = openWorld();
    await write("a", [owed("open")]);
    const { stop } = start();
    const pauses: number[] = [];
    await news();
    for (let waitedMs = 0; pauses.length < 7; ) {
      await pass(10 * second);
      waitedMs += 10 * second;
      if ((await news()).length === 0) continue;
      pauses.push(waitedMs / second);
      waitedMs = 0;
    }
    expect(pauses).toEqual([30, 60, 120, 240, 480, 600, 600]);
    await stop();
  });

  test("what is postponed is published when it falls due again, and from then on as often as in the beginning", async () => {
    const { write, start, news, pass } = openWorld();
    await write("a", [owed("failing")]);
    const { change, stop } = start();
    await pass(30 * second);
    expect(await news()).toEqual(["failing", "failing"]);
    await change("a", [owed("failing", 45 * second)]);
    await pass(14_750);
    expect(await news()).toEqual([]);
    await pass(250);
    expect(await news()).toEqual(["failing"]);
    await pass(30 * second);
    expect(await news()).toEqual(["failing"]);
    await stop();
  });

  test("what is closed is not published again", async () => {
    const { write, start, news, pass } = openWorld();
    await write("a", [owed("closed"), owed("open")]);
    const { change, stop } = start();
    await news();
    await change("a", [owed("open")]);
    await pass(30 * second);
    expect(await news()).toEqual(["open"]);
    await stop();
  });
});

describe("what", () => {
  test("nothing before the projection has caught up, however much it tells until then", async () => {
    const { start, news, pass } = openWorld();
    const caughtUp = Promise.withResolvers<void>();
    const { change, stop } = start(caughtUp.promise);
    await change("a", [owed("open")]);
    await change("b", [owed("closed by a later event")]);
    await pass(minute);
    expect(await news()).toEqual([]);
    await change("b", []);
    caughtUp.resolve();
    expect(await news()).toEqual(["open"]);
    await stop();
  });

  test("after a crash all that is open, by the ids that it had: a bus drops what it saw a moment ago", async () => {
    const { write, start, published, pass } = openWorld();
    await write("a", [owed("one"), owed("two")]);
    const before = start();
    await pass(10 * second);
    await before.stop();
    const after = start();
    await pass(10 * second);
    await after.stop();
    const ids = published.map(({ id }) => id);
    expect(ids).toHaveLength(4);
    expect(new Set(ids.slice(2))).toEqual(new Set(ids.slice(0, 2)));
  });

  test("two publishers give equal ids, in each interval", async () => {
    const { write, start, published, pass } = openWorld();
    await write("a", [owed("open")]);
    const both = [start(), start()];
    await pass(5 * minute);
    for (const { stop } of both) await stop();
    const times = Map.groupBy(published, ({ id }) => id);
    expect([...times.values()].map(({ length }) => length)).toEqual([2, 2, 2, 2]);
  });

  test("each publishing has an id of its own", async () => {
    const { write, start, published, pass } = openWorld();
    await write("a", [owed("open")]);
    const { change, stop } = start();
    await pass(10 * minute);
    await change("a", [owed("open", 11 * minute)]);
    await pass(10 * minute);
    expect(published.length).toBeGreaterThan(6);
    expect(new Set(published.map(({ id }) => id)).size).toBe(published.length);
    await stop();
  });

  test("only kinds that have a subscriber", async () => {
    const { write, start, news, pass } = openWorld();
    await write("a", [owed("of nobody", 0, "report"), owed("of somebody")]);
    const { stop } = start(undefined, ["send-template"]);
    await pass(minute);
    expect(new Set(await news())).toEqual(new Set(["of somebody"]));
    await stop();
  });

  test("it goes to its kind's subject, with whose it is", async () => {
    const { write, start, published } = openWorld();
    await write("a", [owed("x", 0, "seal")]);
    const { stop } = start();
    await settled();
    const body = { obligation: owed("x", 0, "seal"), documentId: derivedId("a"), accountId: sample.accountId };
    expect(published).toEqual([{ id: expect.any(String), subject: "obligations.seal", body }]);
    await stop();
  });

  test("what is owed for notices goes out under the notices' id", async () => {
    const { write, start, published } = openWorld();
    const obligation = owed("handle", 0, "handle-notices");
    await write("notices", [obligation], { collection: noticesObligations, accountId: "provider" });
    const { stop } = start(undefined, ["handle-notices"]);
    await settled();
    const body = { obligation, noticesId: derivedId("notices"), accountId: "provider" };
    expect(published).toMatchObject([{ subject: "obligations.handle-notices", body }]);
    await stop();
  });

  test("what a bulk call owes goes out under the call's id", async () => {
    const { write, start, published } = openWorld();
    const obligation = owed("go on", 0, "continue-bulk");
    await write("call", [obligation], { collection: bulkObligations });
    const { stop } = start(undefined, ["continue-bulk"]);
    await settled();
    const body = { obligation, bulkId: derivedId("call"), accountId: sample.accountId };
    expect(published).toMatchObject([{ subject: "obligations.continue-bulk", body }]);
    await stop();
  });

  test("within a minute also what was written unbeknown to it, as another process does; and what is gone no more", async () => {
    const { write, start, news, pass } = openWorld();
    await write("a", [owed("gone")]);
    const { stop } = start();
    await settled();
    await write("a", []);
    await write("b", [owed("brought")]);
    await pass(minute);
    expect((await news()).slice(-1)).toEqual(["brought"]);
    await pass(5 * minute);
    expect(new Set(await news())).toEqual(new Set(["brought"]));
    await stop();
  });
});

describe("in turn", () => {
  const [busy, quiet] = [derivedId("busy"), derivedId("quiet")];

  test("only so much of an account is under way, and more as soon as some of it is closed", async () => {
    const { write, start, news, pass } = openWorld();
    const all = many(100, "due");
    await write("a", all);
    const { change, stop } = start();
    const first = await news();
    expect(first.length).toBeGreaterThan(8);
    expect(first.length).toBeLessThan(100);
    await pass(second);
    expect(await news()).toEqual([]);
    await change(
      "a",
      all.filter(({ id }) => !first.slice(0, 5).includes(id)),
    );
    expect(await news()).toHaveLength(5);
    await stop();
  });

  test("all is published in the end, though nothing is heard of it", async () => {
    const { write, start, news, pass } = openWorld();
    await write("a", many(100, "due"));
    const { stop } = start();
    const ids: string[] = [];
    for (let round = 0; round < 20 && new Set(ids).size < 100; round++) {
      await pass(30 * second);
      ids.push(...(await news()));
    }
    expect(new Set(ids).size).toBe(100);
    await stop();
  });

  test("a quiet account's new obligation is published at once, though another one has thousands due", async () => {
    const { write, start, news } = openWorld();
    await write("a", many(5_000, "busy"), { accountId: busy });
    const { change, stop } = start();
    await news();
    await change("b", [owed("quiet")], quiet);
    expect(await news()).toEqual(["quiet"]);
    await stop();
  });

  test("accounts take turns, whatever they are owed", async () => {
    const { write, start, news } = openWorld();
    await write("a", many(5_000, "busy"), { accountId: busy });
    await write("b", many(3, "quiet"), { accountId: quiet });
    const { stop } = start();
    expect((await news()).filter((id) => id.startsWith("quiet"))).toHaveLength(3);
    await stop();
  });
});

describe("a clock that was fast and was set back", () => {
  const hour = 60 * minute;
  const ahead = (id: string, delayMs: number) => ({
    ...owed(id, hour + delayMs),
    since: isoTime(Date.UTC(2026, 0, 1) + hour),
  });

  test("delays nothing beyond its own delay, told of or found", async () => {
    const { write, start, news, pass } = openWorld();
    await write("a", [ahead("found", 0), ahead("found later", 10 * second)]);
    const { change, stop } = start();
    await pass(250);
    expect(await news()).toEqual(["found"]);
    await change("b", [ahead("told", 0)]);
    await pass(250);
    expect(await news()).toEqual(["told"]);
    await pass(9 * second);
    expect(await news()).toEqual([]);
    await pass(second);
    expect(await news()).toEqual(["found later"]);
    await stop();
  });

  test("makes no attempt before the time that was reckoned by the right clock", async () => {
    const { write, start, news, pass } = openWorld();
    await write("a", [{ ...ahead("failing", 0), dueAt: owed("", 20 * second).dueAt }]);
    const { stop } = start();
    await pass(19_750);
    expect(await news()).toEqual([]);
    await pass(250);
    expect(await news()).toEqual(["failing"]);
    await stop();
  });

  test("while it runs: what fell due by then is published again when it is due", async () => {
    const { write, start, news, pass, runtime } = openWorld();
    runtime.clock.advance(hour);
    await write("a", [ahead("open", 5 * second)]);
    const { change, stop } = start();
    await pass(5 * second);
    expect(await news()).toEqual(["open"]);
    runtime.clock.advance(-hour);
    // This clock's waits go by the time of day, a machine's don't.
    await change("b", []);
    await pass(6 * second);
    expect(await news()).toEqual(["open"]);
    await stop();
  });
});

describe("trouble", () => {
  test("a full subject holds no other one up, and gets what it missed as soon as there is room", async () => {
    const { write, full, start, news, pass, errors } = openWorld();
    full.add("obligations.seal");
    await write("a", [owed("seal-1", 0, "seal"), owed("template-1")]);
    await write("b", [owed("seal-2", 0, "seal"), owed("template-2")]);
    const { stop } = start();
    expect(await news()).toEqual(["template-1", "template-2"]);
    await pass(second);
    full.clear();
    await pass(250);
    expect(await news()).toEqual(["seal-1", "seal-2"]);
    await pass(30 * second);
    expect((await news()).sort()).toEqual(["seal-1", "seal-2", "template-1", "template-2"]);
    expect(errors).toEqual([]);
    await stop();
  });

  test("a bus that fails is reported, and what it did not take is published by the next sweep", async () => {
    const { world, write, start, news, pass, errors } = openWorld();
    const failure = new Error("no connection");
    world.failure = failure;
    await write("a", [owed("one")]);
    await write("b", [owed("two")]);
    const { stop } = start();
    await settled();
    await pass(250);
    expect((await news()).sort()).toEqual(["one", "two"]);
    expect(errors).toEqual([failure]);
    await stop();
  });
});

test("with 5,000 open, a change is published without reading the others again", async () => {
  const { world, write, start, news } = openWorld();
  await write("a", many(5_000, "open"));
  const { change, stop } = start();
  await news();
  const { reads } = world;
  const other = derivedId("another account");
  for (let number = 0; number < 20; number++) {
    await change(`new-${number}`, [owed(`new-${number}`)], other);
    expect(await news()).toEqual([`new-${number}`]);
  }
  expect(world.reads).toBe(reads);
  await stop();
});

describe("webhooks of one account", () => {
  const hooks = (receiver: string, count: number, dueInMs = 0) =>
    Array.from({ length: count }, (_, number) => ({
      ...owed(`${receiver}-${number}`, dueInMs, "webhook"),
      receiver,
    }));
  const receiversOf = (ids: readonly string[]) => Map.groupBy(ids, (id) => id.split("-")[0] ?? "");

  test("a receiver that nobody knows is told of two at a time, and of more with each that it takes", async () => {
    const { write, start, news } = openWorld();
    await write("a", hooks("new", 100));
    const { change, stop } = start();
    const open = new Map(hooks("new", 100).map((one) => [one.id, one]));
    const sizes: number[] = [];
    for (let round = 0; round < 5; round++) {
      const published = await news();
      sizes.push(published.length);
      for (const id of published) open.delete(id);
      await change("a", [...open.values()]);
    }
    expect(sizes).toEqual([2, 8, 24, 24, 24]);
    await stop();
  });

  test.each([
    ["is told of more though what is between takes long: the bus, the stores", 80, 8],
    ["that takes long itself is told of one at a time", 9_000, 1],
  ])("a receiver %s", async (_name, tookMs, count) => {
    const { write, start, news, pass } = openWorld();
    await write("a", hooks("new", 100));
    const { change, stop } = start();
    const told = await news();
    await pass(10 * second);
    const left = hooks("new", 100).filter(({ id }) => !told.includes(id));
    await change("a", left, undefined, tookMs);
    expect(await news()).toHaveLength(count);
    await stop();
  });

  test("what one owes that takes nothing holds up no other, however much it is", async () => {
    const { write, start, news, pass } = openWorld();
    await write("a", hooks("dead", 1_000));
    const { change, stop } = start();
    await pass(second);
    await news();
    await change("b", hooks("quick", 1));
    expect(await news()).toEqual(["quick-0"]);
    await stop();
  });

  test("hundreds of dead receivers leave room for those that took what they were told", async () => {
    const { write, start, news, pass } = openWorld();
    const { change, stop } = start();
    await settled();
    for (let number = 0; number < 4; number++) {
      await change("q", hooks("quick", 1));
      await news();
      await change("q", []);
    }
    for (let number = 0; number < 200; number++) await write(`d${number}`, hooks(`dead${number}`, 5));
    await pass(60 * second);
    expect(receiversOf(await news()).size).toBeGreaterThan(20);
    await change("q", hooks("quick", 24));
    expect(receiversOf(await news()).get("quick")).toHaveLength(24);
    await stop();
  });

  test("one that failed is told of one at a time, until it takes something", async () => {
    const { write, start, news, pass } = openWorld();
    await write("a", hooks("ill", 20));
    const { change, stop } = start();
    const [first, second_] = await news();
    const failed = hooks("ill", 20).map((one) =>
      one.id === first || one.id === second_ ? { ...one, dueAt: isoTime(Date.UTC(2027, 0, 1)), attempts: 1 } : one,
    );
    await change("a", failed);
    await pass(second);
    expect(await news()).toHaveLength(1);
    await stop();
  });
});
