import { describe, expect, test } from "vitest";
import { exportTamperings, undetectedInExports } from "../tampering/exports.ts";
import { storeTamperings, undetectedInStores } from "../tampering/stores.ts";

const OF_EACH = 500;

describe("of a thousand tamperings by somebody who has the log and not the keys, each is found and named", () => {
  test.each([
    ["an export", exportTamperings, undetectedInExports],
    ["a store", storeTamperings, undetectedInStores],
  ] as const)("in %s", async (_, tamperings, undetected) => {
    const kinds = Object.keys(tamperings);
    const missed: Record<string, string[]> = {};
    for (const kind of kinds) missed[kind] = await undetected(kind, Math.ceil(OF_EACH / kinds.length), 1);
    expect(missed).toEqual(Object.fromEntries(kinds.map((kind) => [kind, []])));
  });
});
