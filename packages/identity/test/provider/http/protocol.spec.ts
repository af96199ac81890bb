import { readFileSync } from "node:fs";
import { sample } from "@rubrica/events";
import { systemClock } from "@rubrica/runtime";
import { answer, KEY, startServer } from "@rubrica/test-kit/identity/adapter";
import { never } from "@rubrica/test-kit/identity/contract";
import { expect, test } from "vitest";
import type { IdentityCheck } from "../../../src/index.ts";
import { createHttpIdentityProvider } from "../../../src/provider/index.ts";

const text = readFileSync(new URL("../../../../../docs/identity-provider.md", import.meta.url), "utf8");
const [request, verdict, evidence] = [...text.matchAll(/```json\n(.*?)```/gs)].map(([, json = ""]) => JSON.parse(json));

test("the documented check is what is asked, and the documented verdict is taken", async () => {
  const photos = Object.entries<{ attempt: number; base64: string }>(request.photos).map(([kind, photo]) => [
    kind,
    { attempt: photo.attempt, jpeg: Buffer.from(photo.base64, "base64") },
  ]);
  const check: IdentityCheck = { ...request, photos: Object.fromEntries(photos) };
  let asked: unknown;
  await using server = await startServer((_request, response, body) => {
    asked = JSON.parse(body);
    answer(response, 200, verdict);
  });
  const provider = createHttpIdentityProvider({
    provider: sample.provider,
    url: server.url,
    key: KEY,
    clock: systemClock,
  });
  expect(await provider.check(check, never)).toEqual(verdict);
  expect(asked).toEqual(request);
});

test("the documented evidence is taken", async () => {
  await using server = await startServer((_request, response) => answer(response, 200, evidence));
  const provider = createHttpIdentityProvider({
    provider: sample.provider,
    url: server.url,
    key: KEY,
    clock: systemClock,
  });
  const files = await provider.evidence(request.subject, never);
  expect(files.map(({ name }) => name)).toEqual(["audit.json", "selfie-2.jpg"]);
});
