import { type Collection, openEmbeddedReadModelStore } from "@rubrica/read-models";
import { expect, test } from "vitest";
import { holderName, lackedBy } from "../src/filling.ts";

const of = (name: string, version: number): Collection => ({ name, version, indexes: [] });
const position = { commit: 1n, prepare: 1n };

test("who waits fills the versions that the holder does not name, higher or lower", async () => {
  const store = openEmbeddedReadModelStore({ path: ":memory:" });
  const holder = holderName("019aa5c0", [of("documents", 3), of("analytics", 1)]);
  const lacking = (...collections: Collection[]) => lackedBy(holder, collections, store);
  expect(await lacking(of("documents", 3), of("analytics", 1))).toEqual([]);
  const others = [of("documents", 30), of("documents", 2), of("quarantine", 1)];
  expect(await lacking(...others, of("analytics", 1))).toEqual(others);
  await store.close();
});

test("of a holder that names none, it fills those that nobody began, and those of which a lower version is there", async () => {
  const store = openEmbeddedReadModelStore({ path: ":memory:" });
  const begin = async (collection: Collection) =>
    store.apply([{ generation: await store.liveGeneration(collection), changes: [] }], position);
  for (const collection of [of("documents", 3), of("analytics", 1), of("analytics", 2)]) await begin(collection);
  const wanted = [of("documents", 3), of("analytics", 2), of("webhooks", 1)];
  expect(await lackedBy("019aa5c0", wanted, store)).toEqual(wanted.slice(1));
  await store.close();
});
