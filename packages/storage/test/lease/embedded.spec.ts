import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@rubrica/test-kit";
import { expect, test } from "vitest";
import { openEmbeddedLeaseStore } from "../../src/embedded.ts";
import { StoreFileError } from "../../src/sqlite/index.ts";
import { leaseStoreContract } from "./contract.ts";

leaseStoreContract(async () => {
  const folder = temporaryFolder();
  return {
    open: async () => openEmbeddedLeaseStore({ path: join(folder.path, "lease.sqlite"), name: "projector" }),
    [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
  };
});

test("two leases of one file are two", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "lease.sqlite");
  const [one, other] = ["one", "other"].map((name) => openEmbeddedLeaseStore({ path, name }));
  await one?.replace(undefined, { holder: "h", epoch: 1, beat: 0 });
  expect(await other?.read()).toBeUndefined();
  await Promise.all([one?.close(), other?.close()]);
});

test("a damaged file is named, with what to do", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "lease.sqlite");
  writeFileSync(path, "no database at all, and long enough to be looked at".repeat(100));
  const open = () => openEmbeddedLeaseStore({ path, name: "projector" });
  expect(open).toThrow(StoreFileError);
  expect(open).toThrow(/lease\.sqlite.*remove it: it only says which process works/);
});
