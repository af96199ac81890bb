import { describe, expect, test } from "vitest";
import { exportTamperings, undetectedInExports } from "./tampering/exports.ts";
import { storeTamperings, undetectedInStores } from "./tampering/stores.ts";

// The whole thousands are in system/tamperings.spec.ts.
const OF_EACH = 10;

describe("what somebody does who has the log and not the keys is found by a head, and named", () => {
  test.each(Object.keys(exportTamperings))("in an export: %s", async (kind) => {
    expect(await undetectedInExports(kind, OF_EACH)).toEqual([]);
  });

  test.each(Object.keys(storeTamperings))("in a store: %s", async (kind) => {
    expect(await undetectedInStores(kind, 3)).toEqual([]);
  });
});
