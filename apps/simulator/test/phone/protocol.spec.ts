import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Notice, sample } from "@rubrica/events";
import { createHttpMessagingProvider, MessageJson } from "@rubrica/messaging";
import { systemClock } from "@rubrica/runtime";
import { createSecrets, simulatorKeys } from "@rubrica/secrets";
import { expect, test } from "vitest";

const documented = readFileSync(new URL("../../../../docs/messaging-simulator.md", import.meta.url), "utf8");
const [message, told] = [...documented.matchAll(/```json\n(.*?)```/gs)].map(([, json = ""]) => JSON.parse(json));
const { provider: key } = simulatorKeys(createSecrets({ current: Buffer.alloc(32) }), "a-long-random-word");

test("the documented message is what is sent, and the documented answer is taken", async () => {
  const asked: unknown[] = [];
  const server = createServer(async (request, response) => {
    asked.push(request.url, request.headers.authorization, JSON.parse(await text(request)));
    response.end('{"providerMessageId": "sim.1"}');
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  const provider = createHttpMessagingProvider({
    provider: sample.provider,
    url: `http://127.0.0.1:${port}`,
    key,
    clock: systemClock,
  });
  const { kind: _kind, ...template } = message;
  expect(await provider.sendTemplate(template, new AbortController().signal)).toEqual({ providerMessageId: "sim.1" });
  expect(asked).toEqual(["/messages", `Bearer ${key}`, message]);
  expect(MessageJson.parse(message)).toEqual(message);
  server.close();
});

test("the documented notices are taken", () => {
  expect(told.notices.map((notice: unknown) => Notice.parse(notice))).toEqual(told.notices);
});

test("the keys are as documented: openssl dgst -sha256 -hmac a-long-random-word", () => {
  expect(key).toBe("6qzoJJhNcyGvxWnAQSq6PmUjEX1zVmc6z9P_ap6xAlM");
});
