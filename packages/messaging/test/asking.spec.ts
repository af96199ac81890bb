import { createOwnService } from "@rubrica/outbound";
import { systemClock } from "@rubrica/runtime";
import { loopbackServer } from "@rubrica/test-kit/web-servers";
import { expect, test } from "vitest";
import { z } from "zod";
import { answerOf, readAnswer } from "../src/asking.ts";

test.each([
  [65_535, { id: "1" }],
  [65_536, { id: "1" }],
  [65_537, undefined],
])("a provider's answer of %i bytes is understood where it is not too long", async (bytes, understood) => {
  await using server = await loopbackServer((_request, response) => response.end('{"id":"1"}'.padEnd(bytes)));
  const service = createOwnService({ url: `http://127.0.0.1:${server.port}`, key: "key", clock: systemClock });
  const { signal } = new AbortController();
  const answer = await answerOf(service, { method: "GET", path: "/" }, signal, (reason) => new Error(reason));
  expect(readAnswer(z.object({ id: z.string() }), answer)).toEqual(understood);
});
