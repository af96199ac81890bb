import { systemClock } from "@rubrica/runtime";
import { loopbackServer } from "@rubrica/test-kit/web-servers";
import { expect, test } from "vitest";
import { submitTemplates } from "../../src/whatsapp/index.ts";

const definition = { name: "rubrica_request", language: "es", category: "UTILITY" as const, components: [] };

test.each([
  [65_535, { id: "1", status: "APPROVED" }],
  [65_536, { id: "1", status: "APPROVED" }],
  [65_537, { error: "answered 200" }],
])("an answer of %i bytes is understood where it is not too long", async (bytes, outcome) => {
  const answer = JSON.stringify({ id: "1", status: "APPROVED" }).padStart(bytes);
  await using server = await loopbackServer((_request, response) => response.end(answer));
  const baseUrl = `http://127.0.0.1:${server.port}`;
  const options = { baseUrl, graphVersion: "v1", token: "token", businessAccountId: "2", clock: systemClock };
  expect(await submitTemplates(options, [definition])).toEqual([{ name: "rubrica_request", ...outcome }]);
});
