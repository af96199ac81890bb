import { sample } from "@rubrica/events";
import { beforeEach, describe, expect, test } from "vitest";
import { FunnelQuery } from "../src/funnel-schemas.ts";
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
    expect(await groups("group_by=channel")).toMatchObject([{ group: "v2", requested: 2 }]);
  });

  test("takes dates as days of the time zone, also where clocks change", async () => {
    // Clocks go back at 3 o'clock of the 25th in Paris: it begins at 22:00 UTC and ends at 23:00.
    life(1, { at: "2026-10-24T21:59:59.999Z" });
    life(2, { at: "2026-10-24T22:00:00.000Z" });
    life(3, { at: "2026-10-25T22:59:59.999Z" });
    life(4, { at: "2026-10-25T23:00:00.000Z" });
    const { body } = await ask("from=2026-10-25&to=2026-10-26&time_zone=Europe/Paris");
    expect(body.groups).toMatchObject([{ group: "2026-10-25", requested: 2 }]);
    expect((await ask("from=2026-10-25&to=2026-10-26")).body.groups).toMatchObject([{ requested: 2 }]);
    expect((await ask("from=2025-10-25&to=2026-10-26&time_zone=Europe/Paris")).status).toBe(200);
  });

  test("asks for a time zone as IANA writes it, in whatever letters it is named", () => {
    const named = (time_zone: string) =>
      FunnelQuery.parse({ from: "2026-11-01", to: "2026-12-01", time_zone }).time_zone;
    expect(["america/montevideo", "utc", "Europe/Paris"].map(named)).toEqual([
      "America/Montevideo",
      "UTC",
      "Europe/Paris",
    ]);
  });

  test("is CSV for who accepts that first, with the same names", async () => {
    life(1, { at: "2026-11-20T10:00:00.000Z", campaignId: 7 });
    const csv = async (accept: string) =>
      made.app.inject({
        url: `/api/v2/analytics/funnel?${NOVEMBER}&group_by=campaign`,
        headers: { "x-api-key": "own", accept },
      });
    const response = await csv("text/csv, application/json;q=0.5");
    expect(response.headers).toMatchObject({ "content-type": "text/csv; charset=utf-8", vary: "accept" });
    const [names, line, end] = response.body.split("\r\n");
    expect(names?.split(",")).toEqual(Object.keys((await groups("group_by=campaign"))[0] ?? {}));
    expect(line).toBe(`7,${sample.accountId},1,0,1,,0,0,,0,0,0,0,0,,,,`);
    expect(end).toBe("");
    expect((await csv("application/json, text/csv")).json().groups).toHaveLength(1);
  });

  test("says in plain words what is wrong", async () => {
    const { body } = await ask("from=yesterday&to=2026-12-01&group_by=phone&time_zone=Mars/Olympus");
    expect(body).toEqual({
      error: "Bad Request",
      details: [
        {
          path: "from",
          message: "must be a date, as 2027-01-31, or ISO 8601 with an offset, as 2027-01-31T18:00:00-03:00",
        },
        { path: "group_by", message: "must be one of day, campaign, channel, medium, country" },
        { path: "time_zone", message: "must be a time zone by its IANA name, as America/Montevideo" },
      ],
    });
  });

  test.each([
    ["from=2026-02-30&to=2026-03-02", "from"],
    ["from=2026-11-01&to=2026-11-01", "to"],
    ["from=2026-11-01&to=2027-11-03", "to"],
    ["to=2026-12-01T00:00:00Z", "from"],
    ["from=2026-11-01T00:00:00Z&to=2026-11-01T00:00:00Z", "to"],
    ["from=2026-11-01T00:00:00Z&to=2028-11-01T00:00:00Z", "to"],
    [`${NOVEMBER}&group_by=phone`, "group_by"],
    [`${NOVEMBER}&time_zone=Mars/Olympus`, "time_zone"],
    [`${NOVEMBER}&time_zone=%2B03:00`, "time_zone"],
    [`${NOVEMBER}&time_zone=-03:00`, "time_zone"],
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
