import { createHash } from "node:crypto";
import type { KeyStore } from "@rubrica/key-store";
import { KeyDestroyedError } from "@rubrica/key-store";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FileMissingError, type FileStore, FileTooLargeError } from "../src/index.ts";

/** The limit that the engine under test is to be opened with. */
export const CONTRACT_MAX_SIZE_BYTES = 1_000_000;

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

    test("owners of any text are told apart", async () => {
      const owners = ["", "../../etc", "a/b", "é", "e\u0301", "\0", "x".repeat(300)];
      for (const owner of owners) await files.put(owner, Buffer.from(`file of ${owner}`), "text/plain");
      for (const owner of owners) {
        const content = Buffer.from(`file of ${owner}`);
        expect(await files.get(owner, createHash("sha256").update(content).digest("hex"))).toEqual(content);
      }
    });
  });
};
