import { sample } from "@rubrica/events";
import { describe, expect, test } from "vitest";
import { openWorld, owed, settled } from "./given.ts";

const second = 1_000;
const minute = 60 * second;

describe("when", () => {
  test("what is due is published at the start, and what falls due later when its time comes", async () => {
    const { write, start, news, pass } = openWorld();
    write("a", owed("now"), owed("soon", 10 * second));
    write("b", owed("later", 10 * minute));
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
    change("a", owed("told"));
    expect(await news()).toEqual(["told"]);
    await stop();
  });

  test("what stays open is published again after 30 s, doubling to 10 min", async () => {
    const { write, start, news, pass } = openWorld();
    write("a", owed("open"));
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
    write("a", owed("failing"));
    const { change, stop } = start();
    await pass(30 * second);
    expect(await news()).toEqual(["failing", "failing"]);
    change("a", owed("failing", 45 * second));
    await pass(14_750);
    expect(await news()).toEqual([]);
    await pass(250);
    expect(await news()).toEqual(["failing"]);
    await pass(30 * second);
    expect(await news()).toEqual(["failing"]);
    await stop();
  });

  test("what is postponed for long is forgotten meanwhile, and published when it falls due", async () => {
    const { write, start, news, pass } = openWorld();
    write("a", owed("failing"));
    const { change, stop } = start();
    expect(await news()).toEqual(["failing"]);
    change("a", owed("failing", 30 * minute));
    await pass(30 * minute - 250);
    expect(await news()).toEqual([]);
    await pass(250);
    expect(await news()).toEqual(["failing"]);
    await stop();
  });

  test("what is closed is not published again", async () => {
    const { write, start, news, pass } = openWorld();
    write("a", owed("closed"), owed("open"));
    const { change, stop } = start();
    await news();
    change("a", owed("open"));
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
    change("a", owed("open"));
    change("b", owed("closed by a later event"));
    await pass(minute);
    expect(await news()).toEqual([]);
    change("b");
    caughtUp.resolve();
    expect(await news()).toEqual(["open"]);
    await stop();
  });

  test("after a crash all that is open, once more, by ids that the bus has not seen", async () => {
    const { write, start, published, news } = openWorld();
    write("a", owed("one"), owed("two"));
    const before = start();
    await settled();
    await before.stop();
    const after = start();
    await settled();
    expect(new Set(published.map(({ id }) => id)).size).toBe(4);
    expect(await news()).toEqual(["one", "two", "one", "two"]);
    await after.stop();
  });

  test("each publishing has an id of its own", async () => {
    const { write, start, published, pass } = openWorld();
    write("a", owed("open"));
    const { change, stop } = start();
    await pass(10 * minute);
    change("a", owed("open", 11 * minute));
    await pass(10 * minute);
    expect(published.length).toBeGreaterThan(6);
    expect(new Set(published.map(({ id }) => id)).size).toBe(published.length);
    await stop();
  });

  test("only kinds that have a subscriber", async () => {
    const { write, start, news, pass } = openWorld();
    write("a", owed("of nobody", 0, "report"), owed("of somebody"));
    const { stop } = start(undefined, ["send-template"]);
    await pass(minute);
    expect(new Set(await news())).toEqual(new Set(["of somebody"]));
    await stop();
  });

  test("it goes to its kind's subject, with whose it is", async () => {
    const { write, start, published } = openWorld();
    const { id, document } = write("a", owed("x", 0, "seal"));
    const { stop } = start();
    await settled();
    const body = { obligation: owed("x", 0, "seal"), documentId: id, accountId: document?.accountId };
    expect(published).toMatchObject([{ subject: "obligations.seal", body }]);
    await stop();
  });

  test("what a bulk call owes goes out under the call's id", async () => {
    const { bulks, start, published } = openWorld();
    const { bulkId, accountId } = sample;
    const obligation = owed("go on", 0, "continue-bulk");
    bulks.push({
      id: bulkId,
      position: { commit: 1n, prepare: 1n },
      document: {
        bulkId,
        accountId,
        rowCount: 3,
        settledRows: 0,
        status: "requested",
        rowsForgotten: false,
        open: [obligation],
        nextDueAt: obligation.dueAt,
      },
    });
    const { stop } = start(undefined, ["continue-bulk"]);
    await settled();
    expect(published).toMatchObject([
      { subject: "obligations.continue-bulk", body: { obligation, bulkId, accountId } },
    ]);
    await stop();
  });

  test("within a minute also what was written unbeknown to it, as a rebuild does; and what is gone no more", async () => {
    const { write, start, news, pass } = openWorld();
    write("a", owed("gone"));
    const { stop } = start();
    await settled();
    write("a");
    write("b", owed("brought"));
    await pass(minute);
    expect((await news()).slice(-1)).toEqual(["brought"]);
    await pass(5 * minute);
    expect(new Set(await news())).toEqual(new Set(["brought"]));
    await stop();
  });

  test("never an older form of what is known: a scan may have read what was true a moment ago", async () => {
    const { write, start, news, pass } = openWorld();
    const { change, tell, stop } = start();
    await settled();
    const old = write("a", owed("closed since"));
    change("a");
    tell(old);
    await pass(second);
    expect(await news()).toEqual([]);
    await stop();
  });
});

describe("trouble", () => {
  test("a full subject holds no other one up, and gets what it missed as soon as there is room", async () => {
    const { write, full, start, news, pass, errors } = openWorld();
    full.add("obligations.seal");
    write("a", owed("seal-1", 0, "seal"), owed("template-1"));
    write("b", owed("seal-2", 0, "seal"), owed("template-2"));
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
    write("a", owed("one"));
    write("b", owed("two"));
    const { stop } = start();
    await settled();
    await pass(250);
    expect((await news()).sort()).toEqual(["one", "two"]);
    expect(errors).toEqual([failure]);
    await stop();
  });
});

describe("cost", () => {
  test("with 5,000 open, a change is published without reading the others again", async () => {
    const { world, write, start, news } = openWorld();
    for (let number = 0; number < 5_000; number++) write(`document-${number}`, owed(`open-${number}`));
    const { change, stop } = start();
    expect(await news()).toHaveLength(5_000);
    // 1,000, 2,000, 4,000, 8,000: until there is no more to come.
    expect(world.scans).toBe(4);
    for (let number = 0; number < 100; number++) {
      change(`new-${number}`, owed(`new-${number}`));
      expect(await news()).toEqual([`new-${number}`]);
    }
    expect(world.scans).toBe(4);
    await stop();
  });

  test("the minute's scan starts as large as the last one had to be", async () => {
    const { world, write, start, pass } = openWorld();
    for (let number = 0; number < 1_500; number++) write(`document-${number}`, owed(`open-${number}`));
    const { stop } = start();
    await settled();
    const { scans } = world;
    await pass(minute);
    expect(world.scans).toBe(scans + 1);
    await stop();
  });
});
