import { beforeEach, describe, expect, test } from "vitest";
import { accounts, type World, world } from "../world.ts";

const URL = "/api/account/changeBusinessName";
const INVALID = "Invalid request: business_name is required";

let made: World;
beforeEach(async () => {
  made = await world();
});
const change = (body: unknown, options?: Parameters<World["send"]>[3]) => made.send("PUT", URL, body, options);

describe("changing the business name", () => {
  test("answers exactly the message and the name as it is kept, without blanks around it", async () => {
    const { status, body } = await change({ business_name: "  ACME Homes ", other: 1 });
    expect([status, body]).toEqual([
      200,
      { message: "Business name updated successfully", business_name: "ACME Homes" },
    ]);
    const events = await made.eventsOf(`account-${accounts.pro}`);
    expect(events.at(-1)).toMatchObject({
      type: "BusinessNameChanged",
      data: { businessName: "ACME Homes" },
      metadata: { actor: "integrator", accountId: accounts.pro },
    });
  });

  test("to what it is already changes nothing and answers the same", async () => {
    const first = await change({ business_name: "ACME" });
    const before = await made.eventsOf(`account-${accounts.pro}`);
    const second = await change({ business_name: "ACME" });
    expect(second.body).toEqual(first.body);
    expect(await made.eventsOf(`account-${accounts.pro}`)).toHaveLength(before.length);
  });

  test.each([["李 & Söhne S.A."], ["n".repeat(200)], ["𝒜".repeat(200)]])("takes %s", async (business_name) => {
    expect((await change({ business_name })).body.business_name).toBe(business_name);
  });

  test.each([
    ["missing", {}],
    ["null", { business_name: null }],
    ["no text", { business_name: 7 }],
    ["blank", { business_name: " \t " }],
    ["of two lines", { business_name: "ACME\nHomes" }],
    ["half a character", { business_name: "ACME \udc00" }],
    ["of nothing to be seen", { business_name: "\u200d\ufe0f" }],
    ["turned", { business_name: "\u202eEMCA" }],
    ["of 201 characters", { business_name: "n".repeat(201) }],
  ])("is a 400 when the name is %s", async (_what, body) => {
    const answer = await change(body);
    expect([answer.status, answer.body.message]).toEqual([400, INVALID]);
    expect(answer.body.details[0].path).toBe("business_name");
    expect(Object.keys(answer.body)).toEqual(["message", "details"]);
  });

  test.each([
    ["broken JSON", "{", {}],
    ["no object", "[]", {}],
    ["nothing", "", {}],
    ["another content type", '{"business_name":"A"}', { "content-type": "text/plain" }],
  ])("is a 400 for a body that is %s", async (_what, body, headers) => {
    const answer = await change(body, { headers });
    expect([answer.status, answer.body.message]).toEqual([400, INVALID]);
  });

  test.each([
    ["missing", null],
    ["unknown", "nobody's"],
  ])("is a 401 when the key is %s, whatever the body", async (_what, key) => {
    const { status, body } = await change("{", { key });
    expect([status, body]).toEqual([401, { message: "Unauthorized" }]);
  });

  test("is a 403 when the key is blocked", async () => {
    const { status, body } = await change({ business_name: "ACME" }, { key: "blocked" });
    const message = "Tu API Key se encuentra bloqueada. Por favor contacta a soporte.";
    expect([status, body]).toEqual([403, { message }]);
  });

  test("is a 404 when the key's account is not there", async () => {
    const { status, body } = await change({ business_name: "ACME" }, { key: "ghost" });
    expect([status, body]).toEqual([404, { message: "User not found" }]);
  });

  test("is a 413 for a body that is too large", async () => {
    const { status, body } = await change({ business_name: "n".repeat(20_000) });
    expect([status, body]).toEqual([413, { message: "Request body is larger than 16384 bytes" }]);
  });

  test("is a 429 when the key has made its requests of this minute", async () => {
    made = await world({ rates: { perKey: 1 } });
    expect((await change({ business_name: "ACME" })).status).toBe(200);
    const { status, body } = await change({ business_name: "ACME" });
    expect([status, body]).toEqual([429, { message: "Too many requests; try again later" }]);
  });

  test("is a 500 that says nothing when something fails on this side", async () => {
    made.dependencies.handlers.accounts.handle = () => Promise.reject(new Error("disk on fire"));
    const { status, body } = await change({ business_name: "ACME" });
    expect([status, body]).toEqual([500, { message: "Internal server error" }]);
  });
});
