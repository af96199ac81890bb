import { HEADS_ID, HeadRequested, HeadsCommitted, streamName } from "@rubrica/events";
import { tell } from "@rubrica/test-kit/report/story";
import { openWorld } from "@rubrica/test-kit/report/world";
import { expect, test } from "vitest";
import { newestLogHead } from "../../src/evidence/log-head.ts";
import { textOf, toolsAreMissing } from "../tools.ts";

const missing = toolsAreMissing();

const STREAM = streamName("heads", HEADS_ID);
const { data } = HeadsCommitted.example;
const committed = (size: number) =>
  ({ type: HeadsCommitted.type, data: { ...data, size, at: "2026-11-21T16:00:00.000Z" }, personal: null }) as const;
const requested = { type: HeadRequested.type, data: {}, personal: null } as const;
const context = {
  commandId: "heads",
  accountId: "service",
  actor: "service/heads",
  correlationId: "c",
  causationId: "c",
};

test("the newest head is the last that was committed, whatever came after it", async () => {
  await using world = await openWorld();
  const { journal } = world;
  expect(await newestLogHead(journal.store, world.known)).toBeNull();
  const events = [committed(3), requested, committed(9), requested];
  await journal.append(STREAM, undefined, events, context);
  expect(await newestLogHead(journal.store, world.known)).toEqual({
    size: 9,
    root: data.root,
    at: "2026-11-21T16:00:00.000Z",
  });
});

test("it is the one that is known beside the keys, whatever others stand in the log", async () => {
  await using world = await openWorld();
  const { journal, known } = world;
  await journal.append(STREAM, undefined, [committed(3), committed(9)], context);
  await known.note(`3:${data.root}`, []);
  expect(await newestLogHead(journal.store, known)).toMatchObject({ size: 3 });
  await known.note(`4:${data.root}`, []);
  expect(await newestLogHead(journal.store, known)).toBeNull();
});

test.skipIf(missing)("a report prints it, and says so where there is none", async () => {
  await using world = await openWorld();
  const { documentId } = await tell(world, { people: [{ name: "Ana Paz" }] });
  const report = async () => textOf(await world.reports.build(documentId, "somebody")).replace(/\s+/g, " ");
  expect(await report()).toContain("El registro completo todavía no tiene una cabeza firmada.");
  await world.journal.append(STREAM, undefined, [committed(9)], context);
  const text = await report();
  expect(text).toContain("Cabeza firmada del registro completo, del 21/11/2026 16:00:00");
  expect(text.replaceAll(" ", "")).toContain(`9:${data.root}`);
});
