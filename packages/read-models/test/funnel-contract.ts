import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Row } from "../src/analytics/field.ts";
import type { FunnelQuestion } from "../src/analytics/funnel.ts";
import { analyticTables } from "../src/analytics/tables.ts";
import type { DocumentChange, ReadModelStore } from "../src/port.ts";
import { analytics } from "../src/projections/analytics.ts";

export const [ACME, MATE, FOREIGN] = ["acme", "mate", "foreign"];

/** A document with a signer, of whom this is known, as the projection gives its rows. */
export const documentWith = (number: number, known: Row): DocumentChange => {
  const nothing = Object.fromEntries(analyticTables.signers.fields.map(({ name }) => [name, null]));
  const signer: Row = {
    ...nothing,
    accountId: ACME ?? null,
    channel: "v2",
    requestedAt: "2026-11-20T10:00:00.000Z",
    state: "asked",
    furthest: 0,
    identityRequired: false,
    ...known,
  };
  return {
    id: `${number}`,
    position: { commit: BigInt(number), prepare: 0n },
    document: { byAccount: `${signer.accountId}/${signer.requestedAt}/${number}` },
    rows: [{ table: "signers", rows: [signer], changed: [0] }],
  };
};

export const question: FunnelQuestion = {
  accountIds: [ACME ?? ""],
  from: "2026-11-01T00:00:00.000Z",
  before: "2026-12-01T00:00:00.000Z",
  groupBy: "day",
  timeZone: "UTC",
};

const of = (came: number, known: number) => ({ came, of: known });
const nobody = { median: null, p90: null };

/** What every engine of the read-model store counts. `open` gives a new, empty store each time. */
export const funnelContract = (engine: string, open: () => Promise<ReadModelStore>): void => {
  describe(`the funnel, ${engine}`, () => {
    let store: ReadModelStore;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());
    const put = async (...signers: readonly Row[]) => {
      const generation = await store.liveGeneration(analytics);
      const changes = signers.map((known, index) => documentWith(index + 1, known));
      for (const outcome of await store.apply([{ generation, changes }], { commit: 1_000n, prepare: 0n }))
        if (outcome.status === "rejected") throw outcome.reason;
    };
    const groups = async (asked: Partial<FunnelQuestion>) =>
      (await store.countFunnel(analytics, { ...question, ...asked })).map(({ group, accountId, steps }) => [
        group,
        accountId,
        steps.requested.came,
      ]);

    test("is empty before there is anybody", async () => {
      expect(await store.countFunnel(analytics, question)).toEqual([]);
      await put();
      expect(await store.countFunnel(analytics, question)).toEqual([]);
    });

    test("counts each step that came, of those of whom it can be known", async () => {
      await put(
        { medium: "wpp", furthest: 5, state: "signed", signedAt: "2026-11-20T11:00:00.000Z", msToSign: 3_600_000 },
        { medium: "email", furthest: 3, identityRequired: true },
        { medium: "sms", furthest: 4, identityRequired: true, rejectedAt: "2026-11-20T11:00:00.000Z" },
        { medium: "wpp", furthest: 1, withdrawnAt: "2026-11-20T11:00:00.000Z" },
        { state: "unreachable" },
      );
      expect(await store.countFunnel(analytics, question)).toEqual([
        {
          group: "2026-11-20",
          accountId: null,
          steps: {
            requested: of(5, 5),
            reached: of(3, 4),
            continued: of(1, 2),
            opened: of(3, 5),
            identified: of(1, 2),
            signed: of(1, 5),
            rejected: of(1, 5),
            withdrawn: of(1, 5),
            unreachable: of(1, 5),
          },
          msToSign: { median: 3_600_000, p90: 3_600_000 },
          msToSignFromTurn: nobody,
        },
      ]);
    });

    test("has the exact median and nine tenths of each group", async () => {
      const times = (channel: string, all: number[]) =>
        all.map((ms) => ({ channel, msToSign: ms, msToSignFromTurn: ms * 10 }));
      await put(...times("bulk", [10, 1, 9, 2, 8, 3, 7, 4, 6, 5]), ...times("v2", [2 ** 40, 1]), { channel: "legacy" });
      const found = await store.countFunnel(analytics, { ...question, groupBy: "channel" });
      expect(found.map(({ group, msToSign, msToSignFromTurn }) => [group, msToSign, msToSignFromTurn])).toEqual([
        ["bulk", { median: 5, p90: 9 }, { median: 50, p90: 90 }],
        ["legacy", nobody, nobody],
        ["v2", { median: 1, p90: 2 ** 40 }, { median: 10, p90: 10 * 2 ** 40 }],
      ]);
    });

    test("is of the accounts and the time that are asked for", async () => {
      await put(
        { requestedAt: "2026-10-31T23:59:59.999Z" },
        { requestedAt: "2026-11-01T00:00:00.000Z" },
        { requestedAt: "2026-11-30T23:59:59.999Z", accountId: MATE ?? "" },
        { requestedAt: "2026-11-30T12:00:00.000Z", accountId: FOREIGN ?? "" },
        { requestedAt: "2026-12-01T00:00:00.000Z" },
      );
      expect(await groups({ accountIds: [ACME ?? "", MATE ?? ""] })).toEqual([
        ["2026-11-01", null, 1],
        ["2026-11-30", null, 1],
      ]);
    });

    test("begins days where the time zone does, also where clocks change", async () => {
      await put(
        { requestedAt: "2026-11-20T02:59:59.999Z" },
        { requestedAt: "2026-11-20T03:00:00.000Z" },
        { requestedAt: "2026-10-24T21:59:59.999Z" },
        { requestedAt: "2026-10-24T22:00:00.000Z" },
        { requestedAt: "2026-10-25T22:59:59.999Z" },
        { requestedAt: "2026-10-25T23:00:00.000Z" },
      );
      expect(await groups({ timeZone: "America/Montevideo" })).toEqual([
        ["2026-11-19", null, 1],
        ["2026-11-20", null, 1],
      ]);
      const october = { from: "2026-10-01T00:00:00.000Z", before: "2026-11-01T00:00:00.000Z" };
      expect(await groups({ ...october, timeZone: "Europe/Paris" })).toEqual([
        ["2026-10-24", null, 1],
        ["2026-10-25", null, 2],
        ["2026-10-26", null, 1],
      ]);
    });

    test("groups campaigns by account, and has null last", async () => {
      const accountIds = [ACME ?? "", MATE ?? ""];
      await put(
        { campaignId: 10, country: "UY" },
        { campaignId: 9, country: "AR" },
        { campaignId: 9, accountId: MATE ?? "", country: "UY" },
        { campaignId: null, accountId: MATE ?? "" },
        { campaignId: null },
      );
      expect(await groups({ accountIds, groupBy: "campaign" })).toEqual([
        [9, ACME, 1],
        [9, MATE, 1],
        [10, ACME, 1],
        [null, null, 2],
      ]);
      expect(await groups({ accountIds, groupBy: "country" })).toEqual([
        ["AR", null, 1],
        ["UY", null, 2],
        [null, null, 2],
      ]);
    });

    test("is whole while generations are swapped", async () => {
      const signers = Array.from({ length: 50 }, () => ({}));
      await put(...signers);
      for (let round = 0; round < 3; round++) {
        const next = await store.newGeneration(analytics);
        const changes = signers.map((known, index) => documentWith(index + 1, known));
        await store.apply([{ generation: next, changes }], { commit: 1_000n, prepare: 0n });
        const [counted, swapped] = await Promise.all([groups({}), store.swapIn(next), groups({})]);
        expect([counted, swapped, await groups({})]).toEqual([
          [["2026-11-20", null, 50]],
          true,
          [["2026-11-20", null, 50]],
        ]);
      }
    });
  });
};
