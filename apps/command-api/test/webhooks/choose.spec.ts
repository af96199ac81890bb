import { beforeAll, expect, test } from "vitest";
import { bulkWorld, callOf, send } from "../bulk/calls.ts";
import { requestedOf, requestOf } from "../requests.ts";
import { accounts, type World } from "../world.ts";

const webhook_events = ["alert", "canceled"];
const webhook = { webhook_url: "https://hooks.example" };

let made: World;
beforeAll(async () => {
  made = await bulkWorld();
  const { status, body } = await made.send("PUT", "/api/v2/webhooks/events", { webhook_events });
  expect([status, body]).toEqual([200, { webhook_events }]);
});

test.each(["/api/v2/documentSet", "/api/documentSet"])(
  "what was chosen is frozen with a request to %s",
  async (route) => {
    const { body } = await made.send("POST", route, requestOf(webhook));
    expect((await requestedOf(made, body.id_seguimiento)).data.webhookEvents).toEqual(webhook_events);
  },
);

test("what was chosen is frozen with each row of a bulk call", async () => {
  const { body } = await send(made, callOf(webhook));
  for (const { link } of body) {
    const token = made.dependencies.tokens.read(link.replace("https://sign.example/s/", ""));
    expect((await requestedOf(made, token?.documentId ?? "")).data.webhookEvents).toEqual(webhook_events);
  }
});

test.each([[["signed"]], ["alert"], [undefined], [Array.from({ length: 10 }, () => "alert")]])(
  "%j can't be chosen",
  async (webhook_events) => {
    const { status } = await made.send("PUT", "/api/v2/webhooks/events", { webhook_events });
    expect(status).toBe(400);
    expect(await made.dependencies.handlers.accounts.load(accounts.pro)).toMatchObject({
      webhookEvents: ["alert", "canceled"],
    });
  },
);
