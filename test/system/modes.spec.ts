import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureDataFolder } from "@rubrica/open-engines";
import {
  allUnder,
  eventually,
  noteMissing,
  rubricaClient,
  samplePdf,
  sampleSigner,
  startServiceProcess,
  temporaryFolder,
  toolsMissing,
} from "@rubrica/test-kit";
import { describe, expect, test } from "vitest";
import { type BulkEntry, callOf, preparedPdf, rowOf, sendBulk } from "../support/bulk.ts";
import { linkFor, templateFor } from "../support/messages.ts";
import { serviceInProcess } from "../support/service.ts";

/** A shell that leaves what it makes open to everybody, as most do. */
const OPEN_SHELL = ["sh", "-c", 'umask 022; exec "$@"', "sh"];

const modeOf = (path: string): number => lstatSync(path).mode & 0o777;

/** Everything under the folder, itself too, that anybody but its owner may touch. Links have no mode of their own. */
const openUnder = (folder: string): string[] =>
  [{ path: folder, stats: lstatSync(folder) }, ...allUnder(folder)].flatMap(({ path, stats }) =>
    !stats.isSymbolicLink() && (stats.mode & 0o077) !== 0 ? [path] : [],
  );

const mainJob = async (client: ReturnType<typeof rubricaClient>): Promise<void> => {
  const signer = sampleSigner(1);
  const { id_seguimiento, urls } = await client.requestDocument(await samplePdf(), [signer], {
    document_name: "Lease",
  });
  await client.press((await templateFor(client, signer.phone, "Lease")).id, "continue");
  await linkFor(client, signer.phone, urls[0]?.link ?? "");
  await client.sign(urls[0]?.link ?? "");
  await eventually(
    "the sealed PDF",
    async () => (await client.read(`/api/v2/documents/${id_seguimiento}`)).status === 200,
  );
};

test("all that a service keeps is its owner's alone, in a folder that was there before with 0755", async () => {
  using folder = temporaryFolder();
  const dataDir = join(folder.path, "data");
  mkdirSync(dataDir);
  chmodSync(dataDir, 0o755);
  await using service = await startServiceProcess({ dataDir, under: OPEN_SHELL });
  await mainJob(rubricaClient(service));
  if (!toolsMissing("soffice")) {
    const prepared = await sendBulk(rubricaClient(service), callOf([rowOf(1)]));
    await preparedPdf(rubricaClient(service), prepared.json<BulkEntry[]>()[0] as BulkEntry);
    expect(readdirSync(dataDir)).toContain("office");
  }
  expect(readdirSync(dataDir)).toContain("events.sqlite-shm");
  expect(openUnder(dataDir)).toEqual([]);
  await service.end("SIGTERM");
  expect(openUnder(dataDir)).toEqual([]);

  // What an earlier version left open is closed at the next start.
  for (const name of readdirSync(dataDir)) chmodSync(join(dataDir, name), statSync(join(dataDir, name)).mode | 0o055);
  chmodSync(dataDir, 0o755);
  await using again = await startServiceProcess({ dataDir, under: OPEN_SHELL });
  await again.ready;
  expect(openUnder(dataDir)).toEqual([]);
});

test("each store makes its files so by itself, whatever the umask", async () => {
  expect(process.umask() & 0o077).not.toBe(0o077);
  await using service = await serviceInProcess();
  await mainJob(service.client);
  expect(openUnder(service.dataDir)).toEqual([]);
});

describe("a data folder that is open to others", () => {
  test("and holds other things stays as it is, and so do these; what is ours is closed, and a sentence says so", () => {
    using folder = temporaryFolder();
    const path = (name: string) => join(folder.path, name);
    chmodSync(folder.path, 0o755);
    for (const name of ["notes.txt", "events.sqlite", "secret"]) writeFileSync(path(name), "", { mode: 0o644 });
    mkdirSync(path("files"), { mode: 0o755 });
    expect(ensureDataFolder(folder.path)).toEqual([
      `The data folder ${folder.path} is open to other users, and stays so since it holds other things too: what Rubrica keeps there is not.`,
    ]);
    expect(["", "notes.txt", "events.sqlite", "secret", "files"].map((name) => modeOf(path(name)).toString(8))).toEqual(
      ["755", "644", "600", "600", "700"],
    );
  });

  test("and holds what is ours alone is closed, without a word", () => {
    using folder = temporaryFolder();
    chmodSync(folder.path, 0o777);
    mkdirSync(join(folder.path, "lost+found"));
    expect(ensureDataFolder(folder.path)).toEqual([]);
    expect(modeOf(folder.path)).toBe(0o700);
  });

  const isRoot = process.getuid?.() === 0;
  if (!isRoot) noteMissing("root");
  test.skipIf(!isRoot)("and belongs to another user is warned of in a sentence", () => {
    using folder = temporaryFolder();
    chownSync(folder.path, 12_345, 12_345);
    chmodSync(folder.path, 0o755);
    expect(ensureDataFolder(folder.path)).toEqual([
      `The data folder ${folder.path} is open to other users, and stays so since it belongs to another user: what Rubrica keeps there is not.`,
    ]);
    expect(modeOf(folder.path)).toBe(0o755);
  });
});
