import { join } from "node:path";
import { temporaryFolder, threadWorkWhile } from "@rubrica/test-kit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FunnelQuestion, funnelGroups } from "../../../src/analytics/funnel.ts";
import { openEmbeddedReadModelStore } from "../../../src/embedded/store.ts";
import type { ReadModelStore } from "../../../src/port.ts";
import { analytics } from "../../../src/projections/analytics.ts";
import { ACME, documentWith, MATE, question } from "../../funnel-contract.ts";

const DOCUMENTS = 100_000;
const AT_ONCE = 2_000;
const YEAR_MS = 365 * 86_400_000;
const from = Date.parse("2026-01-01T00:00:00.000Z");

let folder: ReturnType<typeof temporaryFolder>;
let store: ReadModelStore;
beforeAll(async () => {
  folder = temporaryFolder();
  store = openEmbeddedReadModelStore({ path: join(folder.path, "read-models.sqlite") });
  const generation = await store.liveGeneration(analytics);
  for (let first = 1; first <= DOCUMENTS; first += AT_ONCE) {
    const changes = Array.from({ length: AT_ONCE }, (_, index) => document(first + index));
    await store.apply([{ generation, changes }], { commit: BigInt(first + AT_ONCE), prepare: 0n });
  }
});
afterAll(async () => {
  await store.close();
  folder[Symbol.dispose]();
});

const document = (number: number) => {
  const at = new Date(from + Math.floor((number / (DOCUMENTS + 1)) * YEAR_MS)).toISOString();
  const furthest = (number * 7) % 6;
  const signed = furthest === 5 ? { signedAt: at, msToSign: (number * 7_919) % 86_400_000 } : {};
  return documentWith(number, {
    accountId: (number % 10 === 0 ? MATE : ACME) ?? null,
    campaignId: number % 8 || null,
    channel: ["v2", "legacy", "bulk"][number % 3] ?? null,
    medium: ["wpp", "sms", "email", null][number % 4] ?? null,
    country: ["UY", "AR", "MX", null][number % 4] ?? null,
    requestedAt: at,
    turnAt: at,
    askedAt: at,
    reachedAt: at,
    furthest,
    state: furthest === 5 ? "signed" : "reached",
    ...signed,
  });
};

test.each(funnelGroups)("100,000 documents by %s take 400 ms of a processor, and no turn of ours", async (groupBy) => {
  const asked: FunnelQuestion = {
    ...question,
    accountIds: [ACME ?? "", MATE ?? ""],
    from: "2026-01-01T00:00:00.000Z",
    before: "2027-01-01T00:00:00.000Z",
    groupBy,
    timeZone: "America/Montevideo",
  };
  const tookMs: number[] = [];
  const turnsMs: number[] = [];
  // The first one starts the thread.
  for (let time = 0; time < 4; time++) {
    const before = process.cpuUsage();
    const { result, longestIterationMs, totalMs } = await threadWorkWhile(() => store.countFunnel(analytics, asked));
    const { user, system } = process.cpuUsage(before);
    // But for this thread, which does nothing but watch its turns.
    tookMs.push((user + system) / 1_000 - totalMs);
    expect(result.reduce((sum, { steps }) => sum + steps.requested.came, 0)).toBe(DOCUMENTS);
    turnsMs.push(longestIterationMs);
  }
  // The least of the times: a collection of garbage, of what the documents were made of, may fall into any of them.
  expect(Math.min(...turnsMs)).toBeLessThan(20);
  expect(Math.min(...tookMs)).toBeLessThan(400);
});
