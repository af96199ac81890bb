import { noticesIdOf, sample, streamName } from "@rubrica/events";
import { beforeEach, describe, expect, test } from "vitest";
import { type World, world } from "../world.ts";

const URL = "/inbound/simulator";
const headers = { authorization: "Bearer key-of-the-provider" };
const notice = { kind: "delivered", providerMessageId: "sim.1", messageId: null, at: sample.at } as const;

let app: World;
beforeEach(async () => {
  app = await world();
});

const post = (payload: unknown, given: Record<string, string> = headers) =>
  app.app.inject({
    method: "POST",
    url: URL,
    headers: { "content-type": "application/json", ...given },
    payload: JSON.stringify(payload),
  });

const kept = (notices: Parameters<typeof noticesIdOf>[0]) => app.eventsOf(streamName("notices", noticesIdOf(notices)));

describe("notices of the messaging provider", () => {
  test("are kept before they are answered, in one event that names nobody", async () => {
    const notices = [notice, { ...notice, kind: "read" as const }];
    const answer = await post({ notices });
    expect([answer.statusCode, answer.json()]).toEqual([200, { received: 2 }]);
    expect(await kept(notices)).toMatchObject([
      { type: "NoticesReceived", data: { notices }, personal: null, metadata: { actor: "provider" } },
    ]);
  });

  test("that come again are kept once", async () => {
    const answers = await Promise.all([1, 2, 3].map(() => post({ notices: [notice] })));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
    expect(await kept([notice])).toHaveLength(1);
  });

  test.each([
    {},
    { authorization: "Bearer another" },
    { authorization: "key-of-the-provider" },
    { "x-api-key": "key-of-the-provider" },
  ])("are refused without the key, before the body is looked at: %j", async (given: Record<string, string>) => {
    const answer = await app.app.inject({
      method: "POST",
      url: URL,
      headers: { "content-type": "application/json", ...given },
      payload: "{broken",
    });
    expect([answer.statusCode, answer.json()]).toEqual([401, { error: "Unauthorized" }]);
  });

  test.each([
    ["none", { notices: [] }],
    ["too many", { notices: Array.from({ length: 101 }, () => notice) }],
    ["with a phone", { notices: [{ ...notice, phone: "5491122334455" }] }],
    ["with anything beside them", { notices: [notice], raw: "…" }],
    ["that are none", { notices: ["delivered"] }],
  ])("are refused whole: %s", async (_what, body) => {
    expect((await post(body)).statusCode).toBe(400);
  });

  test("of text messages come with the adapter's own key, and are kept without the vendor's ids", async () => {
    const tell = (key: string) =>
      app.app.inject({
        method: "POST",
        url: "/inbound/sms",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        payload: JSON.stringify({ notices: [{ ...notice, providerMessageId: "vendor-1" }] }),
      });
    expect((await tell("key-of-the-provider")).statusCode).toBe(401);
    expect((await post({ notices: [notice] }, { authorization: "Bearer key-of-the-sms-adapter" })).statusCode).toBe(
      401,
    );
    expect((await tell("key-of-the-sms-adapter")).statusCode).toBe(200);
    const told = [{ ...notice, providerMessageId: "sms.vendor-1" }];
    expect(await kept(told)).toMatchObject([{ data: { medium: "sms", notices: told } }]);
  });

  test("are refused when they are too large", async () => {
    const answer = await post({ notices: [notice], more: "x".repeat(65_536) });
    expect(answer.statusCode).toBe(413);
  });
});
