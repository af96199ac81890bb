import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { KeyStore } from "../../src/index.ts";
import {
  FileCorruptError,
  FileMissingError,
  type FileStore,
  FileTooLargeError,
  KeyDestroyedError,
} from "../../src/index.ts";

/** The limit that the engine under test is to be opened with. */
export const CONTRACT_MAX_SIZE_BYTES = 1_000_000;

const namesOf = async (files: FileStore): Promise<string[]> => {
  const names: string[] = [];
  for await (const name of files.encryptedNames()) names.push(name);
  return names;
};

const copyAll = async (from: FileStore, to: FileStore): Promise<void> => {
  for (const name of await namesOf(from))
    await to.putEncrypted(name, (await from.getEncrypted(name)) ?? Buffer.alloc(0));
};

/** What every engine of the file store keeps to. `open` gives a new, empty store each time, with its key store. */
export const fileStoreContract = (engine: string, open: () => Promise<{ files: FileStore; keys: KeyStore }>): void => {
  describe(`file store, ${engine}`, () => {
    let files: FileStore;
    let keys: KeyStore;
    beforeEach(async () => {
      ({ files, keys } = await open());
    });
    afterEach(async () => {
      await files.close();
      await keys.close();
    });

    const bytes = Buffer.from("%PDF-1.7 the document");
    const sha256 = createHash("sha256").update(bytes).digest("hex");

    test("a file is found by its owner and the hash of its bytes", async () => {
      expect(await files.put("a", bytes, "application/pdf")).toEqual({
        sha256,
        size: bytes.length,
        mediaType: "application/pdf",
      });
      expect(await files.get("a", sha256)).toEqual(bytes);
    });

    test.each([0, 1, 15, 16, 17, 65_536, CONTRACT_MAX_SIZE_BYTES])(
      "%i bytes come back as they went in",
      async (size) => {
        const content = Buffer.alloc(size, "ab\0");
        const stored = await files.put("a", content, "application/octet-stream");
        expect(stored.size).toBe(size);
        expect((await files.get("a", stored.sha256)).equals(content)).toBe(true);
      },
    );

    test("a view on a larger buffer is stored as what it shows", async () => {
      const stored = await files.put("a", new Uint8Array(bytes.buffer, bytes.byteOffset + 5, 3), "text/plain");
      expect(await files.get("a", stored.sha256)).toEqual(bytes.subarray(5, 8));
    });

    test("what the caller does to the bytes meanwhile changes nothing", async () => {
      const content = Buffer.from(bytes);
      const putting = files.put("a", content, "application/pdf");
      content.fill(0);
      expect((await putting).sha256).toBe(sha256);
      expect(await files.get("a", sha256)).toEqual(bytes);
    });

    test("one byte more than the limit is refused", async () => {
      const content = Buffer.alloc(CONTRACT_MAX_SIZE_BYTES + 1);
      await expect(files.put("a", content, "application/pdf")).rejects.toThrow(FileTooLargeError);
    });

    test("storing the same bytes again changes nothing", async () => {
      const first = await files.put("a", bytes, "application/pdf");
      expect(await files.put("a", bytes, "application/pdf")).toEqual(first);
      expect(await files.get("a", sha256)).toEqual(bytes);
    });

    test("concurrent puts of the same bytes all answer, and the file is whole", async () => {
      const put = await Promise.all(Array.from({ length: 20 }, () => files.put("a", bytes, "application/pdf")));
      expect(new Set(put.map((stored) => stored.sha256))).toEqual(new Set([sha256]));
      expect(await files.get("a", sha256)).toEqual(bytes);
    });

    test("a file is its owner's alone", async () => {
      await files.put("a", bytes, "application/pdf");
      await keys.obtain("b");
      await expect(files.get("b", sha256)).rejects.toThrow(FileMissingError);
      await expect(files.get("nobody", sha256)).rejects.toThrow(FileMissingError);
      expect(await keys.find("nobody")).toBeUndefined();
    });

    test("a file that was never put is missing", async () => {
      await files.put("a", bytes, "application/pdf");
      for (const hash of ["0".repeat(64), sha256.toUpperCase(), sha256.slice(1), "", "../secret"])
        await expect(files.get("a", hash)).rejects.toThrow(FileMissingError);
    });

    test("without its key a file is missing, and none can be put", async () => {
      await files.put("a", bytes, "application/pdf");
      await files.put("b", bytes, "application/pdf");
      await keys.destroy("a");
      await expect(files.get("a", sha256)).rejects.toThrow(FileMissingError);
      await expect(files.put("a", bytes, "application/pdf")).rejects.toThrow(KeyDestroyedError);
      expect(await files.get("b", sha256)).toEqual(bytes);
    });

    test("an owner's files are removed, with or without their key, and nobody else's", async () => {
      const more = Buffer.from("more");
      for (const owner of ["a", "b", "c"]) {
        await files.put(owner, bytes, "application/pdf");
        await files.put(owner, more, "text/plain");
      }
      await keys.destroy("b");
      for (const owner of ["a", "b", "a", "nobody"]) await files.removeAll(owner);
      await expect(files.get("a", sha256)).rejects.toThrow(FileMissingError);
      expect(await files.get("c", sha256)).toEqual(bytes);
      const again = await files.put("a", more, "text/plain");
      expect(await files.get("a", again.sha256)).toEqual(more);
    });

    test("it says up to where erasures were carried out, as it was noted last", async () => {
      expect(await files.erasuresDone()).toBeUndefined();
      for (const upTo of ["1", "2", "2", "1"]) {
        await files.noteErasuresDone(upTo);
        expect(await files.erasuresDone()).toBe(upTo);
      }
    });

    test("owners of any text are told apart", async () => {
      const owners = ["", "../../etc", "a/b", "é", "e\u0301", "\0", "x".repeat(300)];
      for (const owner of owners) await files.put(owner, Buffer.from(`file of ${owner}`), "text/plain");
      for (const owner of owners) {
        const content = Buffer.from(`file of ${owner}`);
        expect(await files.get(owner, createHash("sha256").update(content).digest("hex"))).toEqual(content);
      }
    });

    describe("copied as it is kept", () => {
      let copy: FileStore;
      let copiedKeys: KeyStore;
      beforeEach(async () => {
        ({ files: copy, keys: copiedKeys } = await open());
      });
      afterEach(async () => {
        await copy.close();
        await copiedKeys.close();
      });
      const copyKeys = async () => {
        for await (const row of keys.rows()) await copiedKeys.putRows([row]);
      };

      test("another store gives the same files to who has the keys", async () => {
        const contents = Array.from({ length: 40 }, (_, number) => Buffer.alloc(number * 997, `file ${number} `));
        const put = [];
        for (const [number, content] of contents.entries())
          put.push(await files.put(`owner ${number % 7}`, content, "application/pdf"));
        await copyAll(files, copy);
        await expect(copy.get("owner 0", put[0]?.sha256 ?? "")).rejects.toThrow(FileMissingError);
        await copyKeys();
        for (const [number, content] of contents.entries())
          expect(await copy.get(`owner ${number % 7}`, put[number]?.sha256 ?? "")).toEqual(content);
        expect(await namesOf(copy)).toEqual(await namesOf(files));
      });

      test("names come once each, in order, and tell neither owner nor hash", async () => {
        expect(await namesOf(files)).toEqual([]);
        for (let number = 0; number < 300; number++)
          await files.put(`owner ${number}`, Buffer.from(`file ${number}`), "text/plain");
        await files.put("owner 1", Buffer.from("file 1"), "text/plain");
        await files.noteErasuresDone("1");
        const names = await namesOf(files);
        expect(names).toHaveLength(300);
        expect(names).toEqual([...new Set(names)].sort());
        const one = createHash("sha256").update("file 1").digest("hex");
        expect(names.filter((name) => name.includes("owner") || name.includes(one))).toEqual([]);
      });

      test("copying again mends what is not the same", async () => {
        await files.put("a", bytes, "application/pdf");
        const [name = ""] = await namesOf(files);
        await copyKeys();
        await copy.putEncrypted(name, Buffer.from("half of it"));
        await expect(copy.get("a", sha256)).rejects.toThrow(FileCorruptError);
        await copyAll(files, copy);
        expect(await copy.get("a", sha256)).toEqual(bytes);
        expect(await copy.getEncrypted(name)).toEqual(await files.getEncrypted(name));
      });

      test("what is copied is removed with its owner's files", async () => {
        await files.put("a", bytes, "application/pdf");
        await files.put("b", bytes, "application/pdf");
        await copyAll(files, copy);
        await copyKeys();
        await copy.removeAll("a");
        await expect(copy.get("a", sha256)).rejects.toThrow(FileMissingError);
        expect(await copy.get("b", sha256)).toEqual(bytes);
        expect(await namesOf(copy)).toHaveLength(1);
      });

      test("up to where erasures were carried out is not among what is copied", async () => {
        await files.put("a", bytes, "application/pdf");
        await files.noteErasuresDone("1");
        await copyAll(files, copy);
        expect(await copy.erasuresDone()).toBeUndefined();
      });

      test("a name that is none finds nothing, and nothing is kept under it", async () => {
        await files.put("a", bytes, "application/pdf");
        const [name = ""] = await namesOf(files);
        const missing = `${name.slice(0, -1)}${name.endsWith("0") ? "1" : "0"}`;
        for (const other of [missing, "", "../../etc/passwd", `../${name}`, name.toUpperCase(), `${name}\n`])
          expect(await files.getEncrypted(other)).toBeUndefined();
        for (const other of ["", "../../etc/passwd", `../${name}`, name.slice(1), `${name}0`])
          await expect(files.putEncrypted(other, bytes)).rejects.toThrow(TypeError);
      });

      test("more bytes than a file's can be are refused", async () => {
        await files.put("a", Buffer.alloc(CONTRACT_MAX_SIZE_BYTES), "text/plain");
        await copyAll(files, copy);
        const [name = ""] = await namesOf(copy);
        await expect(copy.putEncrypted(name, Buffer.alloc(CONTRACT_MAX_SIZE_BYTES + 30))).rejects.toThrow(
          FileTooLargeError,
        );
      });
    });
  });
};
