import { describe, expect, test } from "vitest";
import { eventHash, eventIdOf, findBrokenLink, GENESIS_HASH, type HashedEvent } from "../src/index.ts";

const chained = (count: number): HashedEvent[] => {
  const events: HashedEvent[] = [];
  let previousHash = GENESIS_HASH;
  for (let revision = 0; revision < count; revision++) {
    const event: HashedEvent = {
      stream: "document-1",
      revision: BigInt(revision),
      type: "Rejected",
      data: { b: 1, a: [revision] },
      personal: "sealed",
      metadata: { schemaVersion: 1, at: "2026-11-21T00:00:00.000Z", previousHash },
    };
    const hash = eventHash(event, previousHash);
    event.metadata.hash = hash;
    previousHash = hash;
    events.push(event);
  }
  return events;
};

describe("a stream's hash chain", () => {
  test("holds as it was made, whatever the order of keys", () => {
    const events = chained(3).map((event) => ({ ...event, data: { a: [Number(event.revision)], b: 1 } }));
    expect(findBrokenLink(events)).toBeUndefined();
  });

  test.each([
    ["type", (event: HashedEvent) => ({ ...event, type: "DocumentSigned" })],
    ["data", (event: HashedEvent) => ({ ...event, data: { b: 2, a: [1] } })],
    ["personal", (event: HashedEvent) => ({ ...event, personal: null })],
    [
      "metadata",
      (event: HashedEvent) => ({ ...event, metadata: { ...event.metadata, at: "2026-11-22T00:00:00.000Z" } }),
    ],
    ["stream", (event: HashedEvent) => ({ ...event, stream: "document-2" })],
    ["half a character", (event: HashedEvent) => ({ ...event, data: "\ud800" })],
    [
      "how deep its data are",
      (event: HashedEvent) => ({ ...event, data: JSON.parse(`${"[".repeat(9_999)}${"]".repeat(9_999)}`) }),
    ],
    [
      "previous hash",
      (event: HashedEvent) => ({ ...event, metadata: { ...event.metadata, previousHash: GENESIS_HASH } }),
    ],
  ])("breaks where %s was changed", (_what, change) => {
    const events = chained(3).map((event) => (event.revision === 1n ? change(event) : event));
    expect(findBrokenLink(events)).toEqual({ revision: 1n });
  });

  test("breaks where an event was taken out", () => {
    expect(findBrokenLink(chained(3).filter(({ revision }) => revision !== 1n))).toEqual({ revision: 2n });
  });

  test("is SHA-256 over canonical JSON (a fixed vector, so that streams stay verifiable for good)", () => {
    expect(chained(1)[0]?.metadata.hash).toBe("c26ecc0c4b6396b7cbef79e06291ef497d969ed1a1201332f4a564d35f4bab54");
  });
});

test("an event's id comes from its command, its index and its append's nonce alone", () => {
  expect(eventIdOf("c", 0, "n")).toBe(eventIdOf("c", 0, "n"));
  expect(eventIdOf("c", 0, "n")).not.toBe(eventIdOf("c", 1, "n"));
  expect(eventIdOf("c", 0, "n")).not.toBe(eventIdOf("c", 0, "m"));
  expect(eventIdOf("c/1", 0, "n")).not.toBe(eventIdOf("c", 1, "n"));
});
