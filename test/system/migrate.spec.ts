import { once } from "node:events";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { migrate, verifyMigration } from "@rubrica/cli/migration";
import { configFrom } from "@rubrica/config";
import type { Kept } from "@rubrica/open-engines";
import { openKept } from "@rubrica/open-engines/records";
import { projectionsBy } from "@rubrica/read-models";
import { systemRuntime } from "@rubrica/runtime";
import {
  eventually,
  type RubricaClient,
  runCommandLine,
  startCommandLine,
  temporaryFolder,
  toolsMissing,
} from "@rubrica/test-kit";
import { hasMongo, startEventStoreDb, startMongo } from "@rubrica/test-kit/engines";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fakeDocx } from "../support/bulk.ts";
import { answersOf, type MixedDocument, reportsOf, writeMixedDocuments } from "../support/mixed-documents.ts";
import { serviceInProcess } from "../support/service.ts";

/** In `npm run test:long`: 1,000. */
const DOCUMENTS = Number(process.env.RUBRICA_MIGRATED_DOCUMENTS ?? 20);
/** Of how many the legal report is read: setting one takes a while. */
const REPORTS = 5;
const TEST_MS = 3_600_000;

/** One address for all services: what they answer holds links to it. */
const COMMON = { PUBLIC_URL: "http://localhost:3000" };

type Environment = Record<string, string>;

const folder = temporaryFolder();
const source = join(folder.path, "source");
let documents: MixedDocument[];
let told: Awaited<ReturnType<typeof tellsOf>>;

/** What a service answers about documents. */
const tellsOf = async (client: RubricaClient, asked: readonly MixedDocument[]) => ({
  answers: await answersOf(client, asked),
  reports: toolsMissing("pdftotext") ? [] : await reportsOf(client, asked.slice(0, REPORTS)),
});

beforeAll(async () => {
  await using service = await serviceInProcess({ dataDir: source, environment: COMMON, faults: { docx: fakeDocx() } });
  documents = await writeMixedDocuments(service, DOCUMENTS / 10);
  told = await tellsOf(service.client, documents);
}, TEST_MS);
afterAll(() => folder[Symbol.dispose]());

/** A folder for the service after the migration, with what an operator takes along by hand. */
const newFolder = (name: string): string => {
  const dataDir = join(folder.path, name);
  for (const part of ["secret", "pki"]) cpSync(join(source, part), join(dataDir, part), { recursive: true });
  return dataDir;
};

/** The hash of every event, by its place, in the order of the log. */
const hashesOf = async ({ events }: Kept): Promise<string[]> => {
  const hashes: string[] = [];
  for await (const { stream, revision, metadata } of events.readAll())
    hashes.push(`${stream} ${revision} ${metadata.hash}`);
  return hashes;
};

/** What is kept there and in the source, for `work` to use. */
const withBoth = async <Result>(
  target: Environment,
  work: (stores: { from: Kept; to: Kept }) => Promise<Result>,
): Promise<Result> => {
  await using opened = new AsyncDisposableStack();
  const open = async (environment: Environment) =>
    opened.adopt(await openKept(configFrom(environment), systemRuntime()), (engines) => engines.close());
  return await work({ from: await open({ DATA_DIR: source }), to: await open(target) });
};

/** Asks a service on the target all that the one on the source was asked. */
const expectTheSame = async (dataDir: string, engines: Environment): Promise<void> => {
  await withBoth({ DATA_DIR: dataDir, ...engines }, async ({ from, to }) => {
    expect(await hashesOf(to)).toEqual(await hashesOf(from));
  });
  await using service = await serviceInProcess({ dataDir, environment: { ...COMMON, ...engines } });
  expect(await tellsOf(service.client, documents)).toEqual(told);
};

test("there are documents of every kind: open, ended and erased ones, with and without files", () => {
  expect(documents).toHaveLength(DOCUMENTS);
  const statuses = new Set([...told.answers.values()].map((answer) => answer.slice(0, 3)));
  expect(statuses).toEqual(new Set(["200", "404", "410"]));
  expect(told.reports.some((report) => /Signer \d/.test(report))).toBe(told.reports.length > 0);
});

test(`${DOCUMENTS} documents are answered alike after they were copied to another folder`, {
  timeout: TEST_MS,
}, async () => {
  const dataDir = newFolder("embedded");
  await withBoth({ DATA_DIR: dataDir }, async ({ from, to }) => {
    const migration = { from, to, collections: projectionsBy(to.customIdHmac), tell: () => {} };
    const copied = await migrate(migration);
    expect(copied).toMatchObject({ brokenChains: 0 });
    expect(copied.events).toBeGreaterThan(DOCUMENTS * 4);
    expect(copied.files).toBeGreaterThan(DOCUMENTS);
    expect(await verifyMigration(migration)).toEqual(copied);
  });
  await expectTheSame(dataDir, {});
});

describe.skipIf(!hasMongo())("rubrica migrate", () => {
  const rubrica = (environment: Environment, ...args: string[]) =>
    runCommandLine({ DATA_DIR: source, ...environment }, ...args);

  /** Has it killed as soon as there is some file in the target, wherever it is by then. */
  const killedHalfway = async (environment: Environment): Promise<void> => {
    const child = startCommandLine({ DATA_DIR: source, ...environment }, "migrate");
    const ended = once(child, "close");
    child.stdout.resume();
    child.stderr.resume();
    await withBoth({ DATA_DIR: source, ...environment }, ({ to }) =>
      eventually("a file to be copied", async () => {
        for await (const _ of to.files.encryptedNames()) return true;
        return false;
      }),
    );
    child.kill("SIGKILL");
    await ended;
  };

  test(`copies ${DOCUMENTS} documents to EventStoreDB and MongoDB, where they are answered alike; cut, it goes on`, {
    timeout: TEST_MS,
  }, async () => {
    await using eventStore = await startEventStoreDb();
    await using mongo = await startMongo();
    const engines = { EVENTSTORE_URL: eventStore.url, MONGODB_URL: mongo.newDatabase() };

    expect(await rubrica(engines, "migrate", "--verify")).toEqual({
      code: 1,
      stdout: "",
      stderr: "A key of the data folder is not in the database that MONGODB_URL names.\n",
    });
    await killedHalfway(engines);
    const whole = await rubrica(engines, "migrate");
    expect(whole.stderr).toBe("");
    const [summary, ...remainder] = whole.stdout.trim().split("\n").slice(-3);
    expect(summary).toMatch(/^Copied and compared [\d,]+ events in [\d,]+ streams, [\d,]+ keys, [\d,]+ files, in /);
    expect(remainder).toEqual([
      `Each app needs the same SECRET from now on: set it to what ${join(source, "secret")} holds.`,
      `What seals documents stays in ${join(source, "pki")}: give that folder to the apps that seal and verify.`,
    ]);
    expect(await rubrica(engines, "migrate", "--verify")).toMatchObject({ code: 0, stderr: "" });

    const SECRET = readFileSync(join(source, "secret"), "utf8").trim();
    await expectTheSame(newFolder("engines"), { ...engines, SECRET });
    // The service has written nothing on its own account: what was copied is whole still.
    expect(await rubrica(engines, "migrate", "--verify")).toMatchObject({ code: 0, stderr: "" });
  });
});
