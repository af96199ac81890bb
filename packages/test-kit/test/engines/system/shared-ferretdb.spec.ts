import { yieldToOthers } from "@rubrica/runtime";
import { borrowFerretDb, hasFerretDb, shareFerretDb } from "@rubrica/test-kit/engines";
import { MongoClient } from "mongodb";
import { expect, test } from "vitest";

test.skipIf(!hasFerretDb())("one server serves two files at once, and the third when one gives it back", async () => {
  await using shared = await shareFerretDb();
  const [one, other] = await Promise.all([borrowFerretDb(shared.path), borrowFerretDb(shared.path)]);
  let isServed = false;
  const third = borrowFerretDb(shared.path).then((borrowed) => {
    isServed = true;
    return borrowed;
  });
  const client = await new MongoClient(one.url).connect();
  expect(await client.db("shared").command({ ping: 1 })).toMatchObject({ ok: 1 });
  await client.close();
  await yieldToOthers();
  expect({ isServed, url: other.url }).toEqual({ isServed: false, url: one.url });
  await other[Symbol.asyncDispose]();
  expect((await third).url).toBe(one.url);
});
