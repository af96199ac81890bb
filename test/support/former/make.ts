// Makes a data folder by a release of before, for `test/system/former-release.spec.ts`, and writes what that release
// answered then beside it. To make one: check the release's commit out into a folder of its own, install it, and run
// `node_modules/node/bin/node test/support/former/make.ts [--engines] FOLDER COMMIT [ENTRY…]`, with ENTRY what that
// release's `npm start` runs (2029d91, of November 22nd, and a4b03c1, of the 25th: `apps/standalone/src/main.ts`). With
// `--engines` it runs on engines over the wire, and what they hold goes along. Then list it in that test. All names are made up.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { globSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import { systemClock } from "@rubrica/runtime";
import { eventually, freePort, rubricaClient, samplePdf, sampleSigner, temporaryFolder } from "@rubrica/test-kit";
import { callReceiver } from "../call-receiver.ts";
import { type FormerEngines, startFormerEngines } from "./engines.ts";
import { type FormerFolder, formerEnvironment, formerPaths, owedIn, receiverPort } from "./folder.ts";

const { values, positionals } = parseArgs({ options: { engines: { type: "boolean" } }, allowPositionals: true });
const [tree = "", commit = "", ...entry] = positionals;
const run = entry.length === 0 ? ["scripts/start.ts", "standalone"] : entry;

using folder = temporaryFolder();
const dataDir = join(folder.path, "data");
await using engines = values.engines ? await startFormerEngines(folder.path) : undefined;
await using receiver = await callReceiver(receiverPort);
const port = await freePort();
const service = spawn(process.execPath, run, {
  cwd: tree,
  stdio: ["ignore", "ignore", "inherit"],
  env: {
    PATH: process.env.PATH,
    DATA_DIR: dataDir,
    PORT: String(port),
    ...formerEnvironment,
    ...engines?.environment,
  },
});
process.once("exit", () => service.kill("SIGKILL"));
const client = rubricaClient({
  url: `http://127.0.0.1:${port}`,
  apiKey: formerEnvironment.DEMO_API_KEY,
  simulatorKey: formerEnvironment.SIMULATOR_KEY,
});
await eventually("the service", () =>
  client.send("GET", "/readyz").then(
    ({ status }) => status === 200,
    () => false,
  ),
);

const pdf = await samplePdf();
const signers = {
  sealed: [sampleSigner(1)],
  halfSigned: [sampleSigner(2, { position: "1" }), sampleSigner(3, { position: "2" })],
  holding: [sampleSigner(4)],
  queued: [sampleSigner(5, { phone: sampleSigner(4).phone })],
  rejected: [sampleSigner(6)],
  owing: [sampleSigner(7)],
  unsealed: [sampleSigner(8)],
};
const messages = async (phone: string, count: number) =>
  eventually(`${count} messages to ${phone}`, async () => {
    const all = await client.messagesTo(phone);
    return all.length === count ? all : undefined;
  });
const documents: Record<string, FormerFolder["documents"][string]> = {};
const request = async (name: keyof typeof signers, fields: object = {}) => {
  const { id_seguimiento: id, urls } = await client.requestDocument(pdf, signers[name], fields);
  const links = urls.map(({ link }) => link);
  documents[name] = { id, links, answers: {}, sealedSha256: null };
  return { id, link: links[0] ?? "" };
};
const webhook_url = `http://127.0.0.1:${receiverPort}/`;

const sealed = await request("sealed", { webhook_url });
const [asked] = await messages(sampleSigner(1).phone, 1);
await client.press(asked?.id ?? "", "continue");
await messages(sampleSigner(1).phone, 2);
await client.sign(sealed.link);
await eventually("both webhooks", () => receiver.calls.length === 2);
await eventually("the report", async () => (await client.send("GET", `/api/v2/reporte/${sealed.id}`)).status === 200);

const halfSigned = await request("halfSigned");
await messages(sampleSigner(2).phone, 1);
await client.sign(halfSigned.link);
await messages(sampleSigner(3).phone, 1);

await request("holding");
await messages(sampleSigner(4).phone, 1);
await request("queued");

const rejected = await request("rejected");
await messages(sampleSigner(6).phone, 1);
await client.reject(rejected.link);
await eventually("the report", async () => (await client.send("GET", `/api/v2/reporte/${rejected.id}`)).status === 200);

receiver.state.status = 503;
const owing = await request("owing", { webhook_url });
await messages(sampleSigner(7).phone, 1);
await client.sign(owing.link);
// The first attempts of both fail; the next ones are due some seconds later.
await eventually("failed webhooks", () => receiver.calls.length >= 4);

const unsealed = await request("unsealed");
await messages(sampleSigner(8).phone, 1);

for (const [name, document] of Object.entries(documents)) {
  if (name === "unsealed") continue;
  for (const path of formerPaths(document.id)) {
    const { status, json } = await client.send("GET", path);
    document.answers[path] = { status, body: json() };
  }
  const file = await client.send("GET", `/api/v2/documents/${document.id}`);
  if (file.status === 200) document.sealedSha256 = createHash("sha256").update(file.bytes).digest("hex");
}
const phones = [...new Set(Object.values(signers).flatMap((all) => all.map(({ phone }) => phone)))];
const sent = Object.fromEntries(
  await Promise.all(phones.map(async (phone) => [phone, await client.messagesTo(phone)] as const)),
);
// Cut off before it is sealed.
await client.sign(unsealed.link);
service.kill("SIGKILL");
await once(service, "close");
const madeAt = new Date(systemClock.now()).toISOString();

/** What the read model of obligations held of each document, and how far it had come. */
type Owed = Pick<FormerFolder, "obligations" | "projectedTo">;
const owedOf = (documents: readonly string[], checkpoint: bigint): Owed => {
  const records = documents.map((document) => JSON.parse(document)).filter(({ open }) => open);
  return {
    obligations: Object.fromEntries(records.map((record) => [record.documentId, owedIn(record)])),
    projectedTo: Number(checkpoint),
  };
};
const owedInFolder = (): Owed => {
  using database = new DatabaseSync(join(dataDir, "read-models.sqlite"));
  const [table] = database.prepare("SELECT name FROM sqlite_master WHERE name IN ('documents', 'records')").all();
  const rows = database
    .prepare(
      `SELECT document, checkpoint FROM ${table?.name} JOIN generations ON generation = number
       WHERE collection = 'obligations'`,
    )
    .all();
  const checkpoint = Buffer.from(rows[0]?.checkpoint as Uint8Array).readBigUInt64BE();
  return owedOf(
    rows.map(({ document }) => String(document)),
    checkpoint,
  );
};
const owedOnEngines = async ({ db }: FormerEngines): Promise<Owed> => {
  const [model] = await db.collection("readModels").find({ name: "obligations" }).toArray();
  const [collection] = await db.listCollections({ name: /^readModel\.obligations\./ }).toArray();
  const rows = await db
    .collection(collection?.name ?? "")
    .find()
    .toArray();
  // A position is two numbers with a dash between, of which the double's are alike.
  const checkpoint = BigInt(model?.live.checkpoint.split("-")[0]);
  return owedOf(
    rows.map(({ document }) => document),
    checkpoint,
  );
};
const owed = engines ? await owedOnEngines(engines) : owedInFolder();
const told: FormerFolder = { madeAt, documents, ...owed, messages: sent, webhooks: receiver.calls };
await engines?.save();
for (const file of globSync(["data/*.sqlite", "eventstoredb/*.sqlite"], { cwd: folder.path })) {
  using database = new DatabaseSync(join(folder.path, file));
  database.exec("PRAGMA wal_checkpoint(TRUNCATE); VACUUM");
}
const name = engines ? `${commit}-engines` : commit;
writeFileSync(join(import.meta.dirname, `${name}.json`), `${JSON.stringify(told, null, 2)}\n`);
const parts = readdirSync(folder.path);
spawnSync("tar", ["--sort=name", "-czf", join(import.meta.dirname, `${name}.tar.gz`), "-C", folder.path, ...parts], {
  stdio: "inherit",
});
