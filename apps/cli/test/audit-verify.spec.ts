import { describe, expect, test } from "vitest";
import { tamperings, undetected } from "./tampering.ts";

// The whole thousand is in system/tamperings.spec.ts.
const OF_EACH = 10;

describe("what somebody does to an export who has the log and not the keys is found by a head, and named", () => {
  test.each(Object.keys(tamperings))("%s", async (kind) => {
    expect(await undetected(kind, OF_EACH)).toEqual([]);
  });
});
