import { createHash } from "node:crypto";
import { systemClock, systemRandom } from "@rubrica/runtime";
import { ManualClock } from "@rubrica/runtime/testing";
import { createSecrets } from "@rubrica/secrets";
import { eventually } from "@rubrica/test-kit";
import { hasMongo, startMongo } from "@rubrica/test-kit/engines";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openEmbeddedKeyStore } from "../../../src/embedded.ts";
import { openGridFsFileStore } from "../../../src/files/gridfs/store.ts";
import type { KeyStore } from "../../../src/index.ts";
import { FileCorruptError, FileMissingError, type FileStore } from "../../../src/index.ts";
import { createMongoConnections } from "../../../src/mongodb/testing.ts";
import type { Mongo } from "../../../src/mongodb.ts";
import { CONTRACT_MAX_SIZE_BYTES, fileStoreContract } from "../contract.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const secrets = createSecrets({ current: Buffer.from("a".repeat(32)) });
const sha256Of = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

describe.skipIf(!hasMongo())("in MongoDB", () => {
  let server: Awaited<ReturnType<typeof startMongo>>;
  beforeAll(async () => {
    server = await startMongo();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const { connect, drop } = createMongoConnections();
  afterEach(drop);
  const openKeys = () => openEmbeddedKeyStore({ path: ":memory:", secrets, random: systemRandom, clock: systemClock });
  const openOn = (mongo: Mongo, keys: KeyStore, clock = systemClock) =>
    openGridFsFileStore({ mongo, keys, clock, random: systemRandom, maxSizeBytes: CONTRACT_MAX_SIZE_BYTES });

  fileStoreContract("in GridFS", async () => {
    const keys = openKeys();
    return { files: await openOn(await connect(server.newDatabase()), keys), keys };
  });

  describe("by itself", () => {
    const bytes = Buffer.alloc(CONTRACT_MAX_SIZE_BYTES, "Contrato de Juana Pérez. ");
    let url: string;
    let mongo: Mongo;
    let keys: KeyStore;
    const stores: FileStore[] = [];
    const open = async (clock = systemClock, on = mongo) => {
      const files = await openOn(on, keys, clock);
      stores.push(files);
      return files;
    };
    const chunks = () => mongo.db.collection<{ _id: unknown; files_id: string; n: number }>("files.chunks");
    const uploads = async () => new Set((await chunks().find().toArray()).map(({ files_id }) => files_id));
    beforeEach(async () => {
      url = server.newDatabase();
      mongo = await connect(url);
      keys = openKeys();
    });
    afterEach(async () => {
      for (const files of stores.splice(0)) await files.close();
      await keys.close();
    });

    test("processes that put the same file at once leave it whole, and one copy of it", async () => {
      const both = [await open(), await open(systemClock, await connect(url))];
      const put = await Promise.all([0, 1, 2, 3].map((at) => both[at % 2]?.put("a", bytes, "application/pdf")));
      expect(new Set(put.map((stored) => stored?.sha256))).toEqual(new Set([sha256Of(bytes)]));
      for (const files of both) expect((await files.get("a", sha256Of(bytes))).equals(bytes)).toBe(true);
      expect((await uploads()).size).toBe(1);
      expect(await chunks().countDocuments()).toBe(4);
    });

    test("a file whose chunks are missing or damaged is corrupt, and mended by putting it again", async () => {
      const files = await open();
      for (const damage of [
        () => chunks().deleteOne({ n: 1 }),
        () => chunks().updateOne({ n: 0 }, { $set: { data: Buffer.alloc(255 * 1024) } }),
      ]) {
        await files.put("a", bytes, "application/pdf");
        await damage();
        await expect(files.get("a", sha256Of(bytes))).rejects.toThrow(FileCorruptError);
        await files.put("a", bytes, "application/pdf");
        expect((await files.get("a", sha256Of(bytes))).equals(bytes)).toBe(true);
        expect(await chunks().countDocuments()).toBe(4);
      }
    });

    test("an upload that was cut is no file, is swept a day later, and goes with its owner's files", async () => {
      const clock = new ManualClock();
      const files = await open(clock);
      for (const owner of ["cut", "cut and erased", "whole"]) await files.put(owner, bytes, "application/pdf");
      const byAge = await mongo.db.collection<{ _id: string }>("files.files").find().sort({ uploadDate: 1 }).toArray();
      const ofCut = byAge.filter(({ _id }) => !_id.startsWith(sha256Of(Buffer.from("whole")).slice(0, 32)));
      // What a process leaves behind that is killed before the last of its writes.
      for (const { _id } of ofCut) await mongo.db.collection<{ _id: string }>("files.files").deleteOne({ _id });
      await expect(files.get("cut", sha256Of(bytes))).rejects.toThrow(FileMissingError);
      expect((await uploads()).size).toBe(3);
      await files.removeAll("cut and erased");
      expect((await uploads()).size).toBe(2);

      clock.advance(DAY_MS - 1_000);
      const young = await open(clock);
      await young.put("meanwhile", bytes, "application/pdf");
      await young.close();
      expect((await uploads()).size).toBe(3);
      // An hour later the next sweep of the store that is open is due.
      clock.advance(60 * 60 * 1000);
      await eventually("the upload that was cut is swept", async () => (await uploads()).size === 2);
      for (const owner of ["whole", "meanwhile"])
        expect((await files.get(owner, sha256Of(bytes))).equals(bytes)).toBe(true);
    });

    test("neither bytes nor names lie there in the clear", async () => {
      await (await open()).put("Juana", bytes, "application/pdf");
      for (const { name } of await mongo.db.listCollections().toArray()) {
        const stored = await mongo.db.collection(name).find({}, { promoteBuffers: true }).toArray();
        for (const document of stored) {
          const data = document.data as Buffer | undefined;
          expect(data?.includes("Juana") ?? false).toBe(false);
          expect(JSON.stringify({ ...document, data: undefined })).not.toMatch(/Juana|Contrato/);
        }
      }
    });
  });
});
