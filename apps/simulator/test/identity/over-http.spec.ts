import { sample } from "@rubrica/events";
import { createHttpIdentityProvider } from "@rubrica/identity/provider";
import { createImages } from "@rubrica/images";
import { type Clock, systemClock } from "@rubrica/runtime";
import { testRuntime } from "@rubrica/runtime/testing";
import { adapterOf, startServer, KEY as TOKEN } from "@rubrica/test-kit/identity/adapter";
import { checkOf, identityProviderContract, never } from "@rubrica/test-kit/identity/contract";
import { afterAll, expect, test } from "vitest";
import { identityProviderRoutes } from "../../src/identity/routes.ts";
import { openIdentitySimulator } from "../../src/identity/simulator.ts";
import { serving } from "../serving.ts";

const KEY = "key-of-the-service";
const images = createImages({ clock: systemClock });
afterAll(() => images.close());

const openSimulator = () =>
  openIdentitySimulator({ path: ":memory:", keys: [Buffer.alloc(32, 1)], images, runtime: testRuntime() });

const world = async () => {
  const simulator = openSimulator();
  const served = await serving(identityProviderRoutes(simulator, { key: KEY }));
  const url = `${served.url}/simulator/identity`;
  return {
    url,
    provider: createHttpIdentityProvider({ provider: sample.provider, url, key: KEY, clock: systemClock }),
    async close() {
      await served[Symbol.asyncDispose]();
      simulator.close();
    },
  };
};

identityProviderContract("the simulator, over HTTP", world);

/** Passes over the pauses that an adapter asks for; requests have their time. */
const hurried: Clock = {
  ...systemClock,
  wait: (durationMs, options) => systemClock.wait(durationMs > 10_000 ? durationMs : 0, options),
};

identityProviderContract("an adapter that works on each check for a while", async () => {
  const simulator = openSimulator();
  const server = await startServer(adapterOf(simulator));
  return {
    provider: createHttpIdentityProvider({ provider: sample.provider, url: server.url, key: TOKEN, clock: hurried }),
    async close() {
      await server[Symbol.asyncDispose]();
      simulator.close();
    },
  };
});

test("another key is refused, and a photo that is not the one that it says; nothing is checked then", async () => {
  const { url, provider, close } = await world();
  const check = await checkOf();
  const stranger = createHttpIdentityProvider({ provider: sample.provider, url, key: "another", clock: systemClock });
  await expect(stranger.check(check, never)).rejects.toMatchObject({ reason: "refused", permanent: false });
  const photo = { attempt: 1, mediaType: "image/jpeg", sha256: "0".repeat(64), base64: "/9j/4DE=" };
  const { checkId, subject, person } = check;
  const answer = await fetch(`${url}/checks`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ checkId, subject, person, photos: { selfie: photo, idFront: photo, idBack: photo } }),
  });
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain("photos.selfie");
  expect(await provider.evidence(subject, never)).toEqual([]);
  await close();
});
