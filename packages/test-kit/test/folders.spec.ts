import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { allUnder, temporaryFolder, unlessGone } from "../src/index.ts";

test("all under a folder is told, whatever it is, and no link is followed", () => {
  using folder = temporaryFolder();
  const at = (...names: string[]) => join(folder.path, ...names);
  mkdirSync(at("a", "b"), { recursive: true });
  writeFileSync(at("a", "b", "file"), "");
  symlinkSync(at("a"), at("link"));
  const told = allUnder(folder.path).map(({ path, stats }) => [
    relative(folder.path, path),
    stats.isFile(),
    stats.isSymbolicLink(),
  ]);
  expect(told.toSorted()).toEqual([
    ["a", false, false],
    ["a/b", false, false],
    ["a/b/file", true, false],
    ["link", false, true],
  ]);
});

test("what is gone is passed over; what can't be looked at for another reason is not", () => {
  using folder = temporaryFolder();
  expect(allUnder(join(folder.path, "gone"))).toEqual([]);
  expect(unlessGone(() => readFileSync(join(folder.path, "gone")))).toBeUndefined();
  expect(() => unlessGone(() => readFileSync(folder.path))).toThrow("EISDIR");
});
