import { obligationKinds } from "@rubrica/domain";
import { noticesObligations } from "@rubrica/read-models";
import { expect, test } from "vitest";
import { obligationMeasurements } from "../src/obligation-measurements.ts";
import { openWorld, owed } from "./given.ts";

const second = 1_000;
const minute = 60 * second;

/** What is measured of a world: counts by kind and state, and ages in seconds by kind, without zeros. */
const measuredOf = async ({ store, runtime }: ReturnType<typeof openWorld>) => {
  const { obligations, oldestObligation } = obligationMeasurements({ engines: { readModels: store }, runtime });
  const [counts = [], ages = []] = [await obligations?.(), await oldestObligation?.()];
  expect([counts.length, ages.length]).toEqual([3 * obligationKinds.length, obligationKinds.length]);
  const told = (found: typeof counts) =>
    Object.fromEntries(
      found.filter(({ value }) => value > 0).map(({ labels, value }) => [Object.values(labels ?? {}).join(" "), value]),
    );
  return { counts: told(counts), ages: told(ages) };
};

test("what is owed is counted by kind and state, and the oldest that is due has its age", async () => {
  const world = openWorld();
  await world.write("a", [
    owed("now"),
    owed("soon", 10 * second),
    owed("later", 10 * minute),
    { ...owed("refused", 5 * minute), attempts: 2, reason: "unreachable" },
    owed("sealed", 5 * second, "seal"),
  ]);
  await world.write("b", [owed("notices", 0, "handle-notices")], { collection: noticesObligations });
  await world.pass(minute);
  expect(await measuredOf(world)).toEqual({
    counts: {
      "send-template due": 2,
      "send-template failing": 1,
      "send-template scheduled": 1,
      "seal due": 1,
      "handle-notices due": 1,
    },
    ages: { "send-template": 60, seal: 55, "handle-notices": 60 },
  });
});

test("nothing is owed, nothing is old", async () => {
  expect(await measuredOf(openWorld())).toEqual({ counts: {}, ages: {} });
});

test("a backlog is counted whole, of several accounts, up to ten thousand of a kind", async () => {
  const world = openWorld();
  const many = (count: number, name: string) => Array.from({ length: count }, (_, number) => owed(`${name}-${number}`));
  await world.write("a", many(450, "a"), { accountId: "019aa5c0-0000-7000-8000-00000000000a" });
  await world.write("b", many(350, "b"), { accountId: "019aa5c0-0000-7000-8000-00000000000b" });
  expect((await measuredOf(world)).counts).toEqual({ "send-template due": 800 });
  await world.write("c", many(9_500, "c"), { accountId: "019aa5c0-0000-7000-8000-00000000000c" });
  await world.pass(5 * second);
  expect((await measuredOf(world)).counts).toEqual({ "send-template due": 10_000 });
});
