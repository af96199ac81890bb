import { sample } from "@rubrica/events";
import { beforeEach, describe, expect, test } from "vitest";
import { type AccountName, accounts, type World, world } from "./world.ts";

const idOf = (number: number) => `019aa5c0-0000-7000-8000-0000000001${String(number).padStart(2, "0")}`;
let made: World;
beforeEach(() => {
  made = world();
});

/** A document of one signer, and what happened to it: the type, when, and what else is told. */
const life = (
  number: number,
  { at, campaignId = null, account = "own" }: { at: string; campaignId?: number | null; account?: AccountName },
  steps: readonly [type: string, at: string, data?: object][] = [],
) => {
  const stream = { kind: "document", id: idOf(number) } as const;
  const given = { at, accountId: accounts[account], data: { documentId: idOf(number), campaignId } };
  made.history.add("DocumentRequested", given, stream);
  for (const [type, when, data = {}] of steps)
    made.history.add(type as "DocumentSigned", { at: when, accountId: accounts[account], data } as never, stream);
};
const ask = async (query: string, account: AccountName = "own") => {
  const response = await made.get(`/api/v2/analytics/funnel?${query}`, account);
  return { status: response.statusCode, body: response.json() };
};
const NOVEMBER = "from=2026-11-01T00:00:00Z&to=2026-12-01T00:00:00Z";
const groups = async (query: string, account?: AccountName) =>
  (await ask(`${NOVEMBER}&${query}`, account)).body.groups as Record<string, unknown>[];

describe("the funnel", () => {
  test("counts for each step those who came to a later one, and leaves out whom it can't be known of", async () => {
    life(1, { at: "2026-11-20T10:00:00.000Z" }, [
      ["SignerTurnCame", "2026-11-20T10:00:01.000Z"],
      ["MessageSent", "2026-11-20T10:00:02.000Z"],
      ["DocumentSigned", "2026-11-20T11:00:00.000Z"],
    ]);
    life(2, { at: "2026-11-20T12:00:00.000Z" }, [
      ["MessageSent", "2026-11-20T12:00:02.000Z", { medium: "email", withLink: true }],
      ["SigningPageOpened", "2026-11-20T12:30:00.000Z"],
    ]);
    life(3, { at: "2026-11-20T13:00:00.000Z" }, [["MessageSent", "2026-11-20T13:00:02.000Z"]]);
    expect(await groups("group_by=day")).toEqual([
      {
        group: "2026-11-20",
        account_id: null,
        requested: 3,
        reached: 1,
        reached_of: 2,
        continued: 1,
        continued_of: 2,
        opened: 2,
        identified: null,
        identified_of: 0,
        signed: 1,
        rejected: 0,
        withdrawn: 0,
        unreachable: 0,
        median_ms_to_sign: 3_600_000,
        p90_ms_to_sign: 3_600_000,
        median_ms_from_turn: 3_599_000,
        p90_ms_from_turn: 3_599_000,
      },
    ]);
  });

  test("has the exact median and nine tenths", async () => {
    for (const minutes of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
      life(minutes, { at: "2026-11-20T10:00:00.000Z" }, [
        ["DocumentSigned", `2026-11-20T10:${String(minutes).padStart(2, "0")}:00.000Z`],
      ]);
    expect(await groups("")).toMatchObject([{ median_ms_to_sign: 300_000, p90_ms_to_sign: 540_000 }]);
  });

  test("begins days where the time zone does", async () => {
    life(1, { at: "2026-11-20T02:00:00.000Z" });
    life(2, { at: "2026-11-20T04:00:00.000Z" });
    expect(await groups("time_zone=America/Montevideo")).toMatchObject([
      { group: "2026-11-19", requested: 1 },
      { group: "2026-11-20", requested: 1 },
    ]);
  });

  test("is of the account and its team, and of the time that is asked for, as many as there are", async () => {
    life(1, { at: "2026-11-20T10:00:00.000Z", campaignId: 7 });
    life(2, { at: "2026-11-20T10:00:00.000Z", campaignId: 7, account: "mate" });
    life(3, { at: "2026-11-20T10:00:00.000Z", account: "foreign" });
    life(4, { at: "2026-12-01T00:00:00.000Z" });
    expect(await groups("group_by=campaign")).toMatchObject([
      { group: 7, account_id: sample.accountId, requested: 1 },
      { group: 7, account_id: accounts.mate, requested: 1 },
    ]);
    expect(await groups("group_by=campaign", "foreign")).toMatchObject([
      { group: null, account_id: null, requested: 1 },
    ]);
    for (let number = 0; number < 250; number++)
      made.history.add(
        "DocumentRequested",
        { at: "2026-11-21T10:00:00.000Z", data: { documentId: `019aa5c0-0000-7000-8000-0000000002${100 + number}` } },
        { kind: "document", id: `019aa5c0-0000-7000-8000-0000000002${100 + number}` },
      );
    expect(await groups("group_by=channel")).toMatchObject([{ group: "v2", requested: 252 }]);
  });

  test.each([
    ["to=2026-12-01T00:00:00Z", "from"],
    ["from=2026-11-01T00:00:00Z&to=2026-11-01T00:00:00Z", "to"],
    ["from=2026-11-01T00:00:00Z&to=2028-11-01T00:00:00Z", "to"],
    [`${NOVEMBER}&group_by=phone`, "group_by"],
    [`${NOVEMBER}&time_zone=Mars/Olympus`, "time_zone"],
  ])("%s is a 400 that names %s", async (query, path) => {
    const { status, body } = await ask(query);
    expect(status).toBe(400);
    expect(body.details).toMatchObject([{ path }]);
  });

  test("waits for what was answered before, and is a 503 while that is not there", async () => {
    life(1, { at: "2026-11-20T10:00:00.000Z" });
    made.state.stopped = ["analytics"];
    expect((await ask(NOVEMBER)).status).toBe(503);
  });
});
