import {
  ana,
  bulkRow,
  completed,
  event,
  preparationFailed,
  rejected,
  requested,
  requestedInBulk,
  sealed,
  signed,
} from "@rubrica/test-kit/document-history";
import { describe, expect, test } from "vitest";
import { lineTaken, minute, openAfter, recordAfter } from "./fixtures.ts";

const DAY_MS = 86_400_000;
const forDays = requested([ana], { sendMessages: false, retentionDays: 30 });
const withdrawn = event("DocumentWithdrawn", { reason: "erasure", by: null, bulkId: null });
const erased = event("DocumentErased", { cause: "requested", requestedAt: minute(1), customIds: [] });
const forgotten = event("DocumentForgotten", {});

describe("a document that is kept for a time is to be erased", () => {
  test.each([
    ["completed", [forDays, signed(ana), completed, sealed], 3],
    ["rejected", [forDays, rejected(ana)], 2],
    ["never prepared", [{ ...requestedInBulk([ana]), data: { ...forDays.data, file: null } }, preparationFailed], 2],
  ])("so many days after it was %s", (_name, history, end) => {
    const due = recordAfter(...history).open.find(({ kind }) => kind === "erase");
    expect(due).toMatchObject({ id: `e${end}:erase`, dueAt: minute(end, 30 * DAY_MS) });
  });

  test("not while it is open, not when it is kept for ever, and not twice", () => {
    expect(openAfter(forDays)).toEqual([]);
    expect(openAfter(requested([ana], { sendMessages: false }), rejected(ana))).not.toContain("e2:erase");
    expect(openAfter(forDays, rejected(ana), erased)).not.toContain("e2:erase");
  });
});

describe("an erased document", () => {
  test("owes that it is forgotten, which whoever erased it has a moment for, and nothing else", () => {
    const record = recordAfter(forDays, signed(ana), completed, erased);
    expect(record.open).toMatchObject([{ id: "e4:forget", dueAt: minute(4, 5_000) }]);
    expect(openAfter(forDays, signed(ana), completed, erased, forgotten)).toEqual([]);
  });
  test("gives its phones back", () => {
    expect(openAfter(requested([ana]), lineTaken(ana), withdrawn, erased, forgotten)).toEqual([
      `e3:release-turn:${ana}`,
    ]);
  });
  test("is prepared no more", () => {
    const back = event("DocumentWithdrawn", { reason: "erasure", by: null, bulkId: bulkRow.bulkId });
    expect(openAfter(requestedInBulk([ana]), back, erased, forgotten)).toEqual([]);
  });
});
