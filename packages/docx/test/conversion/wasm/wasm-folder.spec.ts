import { lstatSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@rubrica/test-kit";
import { expect, test } from "vitest";
import { prepareWasmFolder } from "../../../src/conversion/wasm/wasm-folder.ts";

test("the copied program is its owner's alone whatever the umask, and has enough threads", async () => {
  expect(process.umask() & 0o077).not.toBe(0o077);
  using folder = temporaryFolder();
  const [wasm, copy] = [join(folder.path, "wasm"), join(folder.path, "copy")];
  mkdirSync(wasm);
  writeFileSync(join(wasm, "soffice.cjs"), "var pthreadPoolSize=4;");
  writeFileSync(join(wasm, "soffice.data"), "large");
  await prepareWasmFolder(wasm, copy);
  expect(readFileSync(join(copy, "soffice.cjs"), "utf8")).toBe("var pthreadPoolSize=16;");
  expect(lstatSync(join(copy, "soffice.cjs")).mode & 0o777).toBe(0o600);
  expect(lstatSync(join(copy, "soffice.data")).isSymbolicLink()).toBe(true);
  expect(lstatSync(copy).mode & 0o777).toBe(0o700);
});

test("a program of an unknown version is not used", async () => {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, "soffice.cjs"), "var threads=4;");
  await expect(prepareWasmFolder(folder.path, join(folder.path, "copy"))).rejects.toThrow(/version that is not known/);
});
