import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { configFrom } from "@rubrica/config";
import { temporaryFolder } from "@rubrica/test-kit";
import { expect, test } from "vitest";
import { type AppNeeds, requireNeeds } from "../src/needs.ts";

const ENGINES = { EVENTSTORE_URL: "esdb://user:word@events", MONGODB_URL: "mongodb://user:word@database" };
const SECRET = "s".repeat(32);

/** What an app of these needs says that it lacks, on an empty data folder; undefined: nothing. */
const lackOf = (
  needs: Partial<AppNeeds>,
  environment: Record<string, string>,
  fill: (dataDir: string) => void = () => {},
): string | undefined => {
  using folder = temporaryFolder();
  fill(folder.path);
  try {
    requireNeeds(configFrom({ DATA_DIR: folder.path, ...environment }), { name: "app", ...needs });
  } catch (error) {
    return (error as Error).message;
  }
};

test("an app that needs nothing of its own runs beside a service on its data folder, and on engines with SECRET", () => {
  expect(lackOf({}, {}, (dataDir) => writeFileSync(join(dataDir, "secret"), SECRET))).toBeUndefined();
  expect(lackOf({}, { ...ENGINES, SECRET })).toBeUndefined();
});

test.each<[string, Partial<AppNeeds>, Record<string, string>]>([
  [
    "The app app can't run alone on embedded engines, whose message bus reaches no other process: set NATS_URL, or start the whole service instead (npm start).",
    { onBus: true },
    { ...ENGINES, SECRET },
  ],
  [
    "The variable MONGODB_URL is missing: EVENTSTORE_URL is set, and what the app app shares with others lies in both or in neither.",
    {},
    { EVENTSTORE_URL: ENGINES.EVENTSTORE_URL, SECRET },
  ],
  [
    "The variable EVENTSTORE_URL is missing: MONGODB_URL is set, and what the app app shares with others lies in both or in neither.",
    {},
    { MONGODB_URL: ENGINES.MONGODB_URL, SECRET },
  ],
  ["The variable SECRET is missing: the app app needs the one that all others have.", {}, ENGINES],
  ["The variable SECRET is missing: the app app needs the one that all others have.", {}, {}],
  [
    "The variable PUBLIC_URL is missing: the app app makes links, and does not stand where they lead.",
    { links: true },
    { ...ENGINES, SECRET },
  ],
  [
    "The variable SIMULATOR_URL is missing: the app app sends to the simulators, which are not in its process.",
    { sends: true },
    { ...ENGINES, SECRET },
  ],
  [
    "The variable SIGNING_CERTIFICATE_P12 is missing: the app app seals as all others do, and DATA_DIR has no authority (pki) that was made before.",
    { seals: true },
    { ...ENGINES, SECRET },
  ],
])("%s", (sentence, needs, environment) => {
  expect(lackOf(needs, environment)).toBe(sentence);
});

test("an authority that was made before seals, and a simulator's secret may be its own", () => {
  const withAuthority = (dataDir: string) => {
    for (const name of ["authority", "seal"]) mkdirSync(join(dataDir, "pki", name), { recursive: true });
  };
  expect(lackOf({ seals: true }, { ...ENGINES, SECRET }, withAuthority)).toBeUndefined();
  expect(lackOf({ ownSecret: true }, {})).toBeUndefined();
});

test("who reaches true providers alone needs no simulator", () => {
  const whatsApp = {
    MESSAGING: "whatsapp",
    WHATSAPP_TOKEN: "a-token-of-meta-0123",
    WHATSAPP_PHONE_NUMBER_ID: "106540352242922",
    WHATSAPP_APP_SECRET: "an-app-secret-of-meta-01",
    WHATSAPP_VERIFY_TOKEN: "a-verify-token-0123",
  };
  const identity = { IDENTITY_PROVIDER_URL: "https://identity.example", IDENTITY_PROVIDER_KEY: "a-key" };
  expect(lackOf({ sends: true }, { ...ENGINES, SECRET, ...whatsApp, ...identity })).toBeUndefined();
  expect(lackOf({ sends: true }, { ...ENGINES, SECRET, ...whatsApp })).toMatch(
    /^The variable SIMULATOR_URL is missing/,
  );
});
