import type { KeyObject } from "node:crypto";
import { systemClock, systemRandom } from "@rubrica/runtime";
import { ManualClock } from "@rubrica/runtime/testing";
import { createSecrets } from "@rubrica/secrets";
import { hasMongo, startMongo } from "@rubrica/test-kit/engines";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { KeyDestroyedError, KeyUnreadableError } from "../../../src/index.ts";
import { openMongoKeyStore } from "../../../src/keys/mongodb/store.ts";
import { createMongoConnections } from "../../../src/mongodb/testing.ts";
import type { Mongo } from "../../../src/mongodb.ts";
import { keyStoreContract } from "../contract.ts";

const secretsOf = (current: string, former: string[] = []) =>
  createSecrets({
    current: Buffer.from(current.repeat(32)),
    former: former.map((letter) => Buffer.from(letter.repeat(32))),
  });
const hexOf = (key: KeyObject | undefined): string | undefined => key?.export().toString("hex");

describe.skipIf(!hasMongo())("in MongoDB", () => {
  let server: Awaited<ReturnType<typeof startMongo>>;
  beforeAll(async () => {
    server = await startMongo();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const { connect, drop } = createMongoConnections();
  let url: string;
  let mongo: Mongo;
  beforeEach(async () => {
    url = server.newDatabase();
    mongo = await connect(url);
  });
  afterEach(drop);

  const open = (options: Partial<Parameters<typeof openMongoKeyStore>[0]> = {}) =>
    openMongoKeyStore({ mongo, secrets: secretsOf("a"), random: systemRandom, clock: systemClock, ...options });

  keyStoreContract("whole", async () => open({ mongo: await connect(server.newDatabase()), mayHold: () => true }));

  test("one process destroys while others obtain: all get one key or none, and afterwards it is gone for good", async () => {
    const stores = await Promise.all([0, 1, 2].map(async () => open({ mongo: await connect(url) })));
    for (let round = 0; round < 20; round++) {
      const owner = `owner ${round}`;
      const outcomes = await Promise.allSettled([
        ...stores.map((store) => store.obtain(owner)),
        ...(round % 2 === 0 ? [stores[0]?.destroy(owner)] : []),
      ]);
      const keys = outcomes.slice(0, 3) as PromiseSettledResult<KeyObject>[];
      for (const one of keys) if (one.status === "rejected") expect(one.reason).toBeInstanceOf(KeyDestroyedError);
      const made = new Set(keys.flatMap((one) => (one.status === "fulfilled" ? [hexOf(one.value)] : [])));
      expect(made.size).toBeLessThanOrEqual(1);
      if (round % 2 === 1) expect(made.size).toBe(1);
      else
        for (const store of stores) {
          expect(await store.find(owner)).toBeUndefined();
          await expect(store.obtain(owner)).rejects.toThrow(KeyDestroyedError);
        }
    }
  });

  test("a destroyed key is in no document of the database", async () => {
    const keys = await open();
    await keys.obtain("a");
    await keys.obtain("b");
    const wrapped = async () => {
      const found = [];
      for (const { name } of await mongo.db.listCollections().toArray())
        found.push(
          ...(await mongo.db
            .collection(name)
            .find({ wrapped: { $ne: null } })
            .toArray()),
        );
      return found.map(({ _id }) => String(_id)).sort();
    };
    expect(await wrapped()).toEqual(["a", "b"]);
    await keys.destroy("a");
    expect(await wrapped()).toEqual(["b"]);
  });

  test("no key lies there in the clear", async () => {
    const key = await (await open()).obtain("a");
    const stored = await mongo.db.collection("keys").find({}, { promoteBuffers: true }).toArray();
    expect(stored.map(({ wrapped }) => Buffer.isBuffer(wrapped) && wrapped.includes(key.export()))).toEqual([false]);
  });

  test("what another process destroyed is noticed at once where no keys may be held, else after seconds or when told", async () => {
    const clock = new ManualClock();
    let may = true;
    const [other, holding] = [await open(), await open({ clock, mayHold: () => may })];
    for (const owner of ["a", "b", "c"]) {
      await holding.obtain(owner);
      await other.destroy(owner);
      expect(await holding.find(owner)).toBeDefined();
      if (owner === "a") holding.evict("a");
      if (owner === "b") clock.advance(10_000);
      if (owner === "c") may = false;
      expect(await holding.find(owner)).toBeUndefined();
      await expect(holding.obtain(owner)).rejects.toThrow(KeyDestroyedError);
    }
  });

  test("former SECRETs open what they wrapped; without them the store does not open", async () => {
    const key = await (await open()).obtain("a");
    expect(hexOf(await (await open({ secrets: secretsOf("b", ["a"]) })).find("a"))).toBe(hexOf(key));
    await expect(open({ secrets: secretsOf("b") })).rejects.toThrow(KeyUnreadableError);
    await (await open({ secrets: secretsOf("b", ["a"]) })).obtain("newer");
    await open({ secrets: secretsOf("b") });
  });

  test("a damaged key is an error, never made anew, and keeps no other back", async () => {
    const keys = await open();
    await keys.obtain("a");
    const kept = await keys.obtain("b");
    const damaged = Buffer.alloc(60, 1);
    await mongo.db.collection<{ _id: string }>("keys").updateOne({ _id: "a" }, { $set: { wrapped: damaged } });
    await expect(keys.obtain("a")).rejects.toThrow(KeyUnreadableError);
    await expect(keys.find("a")).rejects.toThrow(KeyUnreadableError);
    const found = await keys.findMany(["a", "b"]);
    expect(found.get("a")).toBeInstanceOf(KeyUnreadableError);
    expect(hexOf(found.get("b") as KeyObject)).toBe(hexOf(kept));
  });
});
