import { spawnSync } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { explainListening } from "@rubrica/hosting";
import {
  rubricaClient,
  runCommandLine,
  samplePdf,
  sampleSigner,
  spawnService,
  startServiceProcess,
  temporaryFolder,
} from "@rubrica/test-kit";
import { beforeAll, describe, expect, test } from "vitest";
import { canMount, mounted } from "../support/mounts.ts";

/** How the service ends that can't start: in the words that are expected, and nothing else. */
const refused = async (
  dataDir: string,
  environment: Record<string, string> = {},
  under: string[] = [],
): Promise<string> => {
  await using service = await spawnService({ dataDir, environment, under });
  expect(await service.ended).toEqual({ code: 1, signal: null });
  expect(service.stderr()).toMatch(/^[A-Z][^\n]+\.\n$/);
  return service.stderr().trimEnd();
};

/** The same of the command line. */
const cliRefused = async (dataDir: string, ...args: string[]): Promise<string> => {
  const { code, stderr } = await runCommandLine({ DATA_DIR: dataDir }, ...args);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^[^\n]+\.\n$/);
  return stderr.trimEnd();
};

const used = temporaryFolder();
beforeAll(async () => {
  await using service = await startServiceProcess({ dataDir: used.path });
  await rubricaClient(service).requestDocument(await samplePdf(), [sampleSigner(1)]);
  await service.end("SIGTERM");
  return () => used[Symbol.dispose]();
});

/** A copy of a data folder that was used, to be broken. */
const copied = () => {
  const folder = temporaryFolder();
  spawnSync("cp", ["-a", `${used.path}/.`, folder.path]);
  return folder;
};

const NOISE = Buffer.alloc(8_192, "not a database ");

describe("a data folder that can't be used is one sentence, for the service and for the command line", () => {
  test.each([
    ["events.sqlite", "restore the data folder from a backup"],
    ["keys.sqlite", "restore the data folder from a backup"],
    ["simulator.sqlite", "restore it from a backup, or remove it, and with it what was simulated"],
    ["identity-simulator.sqlite", "restore it from a backup, or remove it, and with it what was simulated"],
  ])("%s that is none", async (name, whatToDo) => {
    using folder = copied();
    const path = join(folder.path, name);
    writeFileSync(path, NOISE);
    const sentence = `The file ${path} can't be used: it is no database: ${whatToDo}.`;
    expect(await refused(folder.path)).toBe(sentence);
    if (!name.includes("simulator")) expect(await cliRefused(folder.path, "audit", "verify")).toBe(sentence);
  });

  test("events.sqlite that is damaged within", async () => {
    using folder = copied();
    const path = join(folder.path, "events.sqlite");
    const file = openSync(path, "r+");
    for (let at = 8_192; at < statSync(path).size; at += NOISE.length) writeSync(file, NOISE, 0, NOISE.length, at);
    closeSync(file);
    const sentence = `The file ${path} can't be used: it is damaged: restore the data folder from a backup.`;
    expect(await refused(folder.path)).toBe(sentence);
    expect(await cliRefused(folder.path, "audit", "verify")).toBe(sentence);
  });

  test.each(["events.sqlite", "keys.sqlite"])("%s cut short", async (name) => {
    using folder = copied();
    truncateSync(join(folder.path, name), 8_192);
    expect(await refused(folder.path)).toBe(
      `The file ${join(folder.path, name)} can't be used: it is damaged: restore the data folder from a backup.`,
    );
  });

  test("read models that are damaged are built anew, with a warning", async () => {
    using folder = copied();
    writeFileSync(join(folder.path, "read-models.sqlite"), NOISE);
    await using service = await startServiceProcess({ dataDir: folder.path });
    await service.logged("read-models.sqlite was damaged, and is built anew from the events.");
    expect((await rubricaClient(service).readiness()).status).toBe(200);
  });

  test.each(["events.sqlite", "keys.sqlite"])("%s of a newer version", async (name) => {
    using folder = copied();
    const database = new DatabaseSync(join(folder.path, name));
    database.exec("PRAGMA user_version = 99");
    database.close();
    const sentence = `The file ${join(folder.path, name)} is of a newer version of Rubrica: update this one.`;
    expect(await refused(folder.path)).toBe(sentence);
    expect(await cliRefused(folder.path, "audit", "verify")).toBe(sentence);
  });

  test("a SECRET that is another's", async () => {
    using folder = copied();
    const sentence = `The SECRET does not fit the data folder ${folder.path}: set the one that it was made with, or name that one in FORMER_SECRETS.`;
    expect(await refused(folder.path, { SECRET: "x".repeat(32) })).toBe(sentence);
    const former = readFileSync(join(folder.path, "secret"), "utf8").trim();
    await using service = await startServiceProcess({
      dataDir: folder.path,
      environment: { SECRET: "x".repeat(32), FORMER_SECRETS: former },
    });
    await service.ready;
  });

  test("a secret file that holds none, a certificate that is none", async () => {
    using folder = copied();
    const key = join(folder.path, "pki", "seal", "key.pem");
    writeFileSync(key, "no key");
    expect(await refused(folder.path)).toBe(
      `The folder ${join(folder.path, "pki")} is damaged: restore it from a backup.`,
    );
    using other = copied();
    writeFileSync(join(other.path, "secret"), "short");
    expect(await refused(other.path)).toBe(
      `The file ${join(other.path, "secret")} is damaged: restore it from a backup, or set SECRET to what it held.`,
    );
  });

  test("one that is a file", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "file");
    writeFileSync(path, "");
    expect(await refused(path)).toBe(`The data folder ${path} can't be made: set DATA_DIR to another one.`);
  });
});

describe.skipIf(!canMount)("on a disk that takes nothing", () => {
  test.each([
    [
      "it is read-only",
      "ro,size=1m",
      /^The data folder \S+ can't be written: it is on a disk that can only be read: set DATA_DIR to another folder\.$/,
    ],
    [
      "it is full",
      "size=8k",
      /^The data folder \S+ can't be written: no space is left on its disk: make room, or set DATA_DIR to another folder\.$/,
    ],
    ["it has room for almost nothing", "size=300k", /no space is left on its disk/],
    ["it has room for some of what a start writes", "size=400k", /no space is left on its disk/],
  ])("since %s", async (_why, options, sentence) => {
    using folder = temporaryFolder();
    const dataDir = join(folder.path, "data");
    mkdirSync(dataDir);
    expect(await refused(dataDir, {}, mounted(dataDir, options))).toMatch(sentence);
  });
});

describe("what is not there is one sentence that names the variable", () => {
  test.each([
    [
      { HOST: "nohost.invalid" },
      "The name nohost.invalid has no address: set HOST to an address of this machine, or to 0.0.0.0.",
    ],
    [
      { HOST: "203.0.113.7" },
      "The address 203.0.113.7 is none of this machine's: set HOST to one that is, or to 0.0.0.0.",
    ],
    [{ SOFFICE: "/nope" }, "The variable SOFFICE can't be used: it names no program that this user can run."],
    [{ SOFFICE: "/tmp" }, "The variable SOFFICE can't be used: it names no program that this user can run."],
  ])("%j", async (environment, sentence) => {
    using folder = temporaryFolder();
    expect(await refused(folder.path, environment)).toBe(sentence);
  });

  test("a port that is not for this user", () => {
    const error = Object.assign(new Error("listen EACCES"), { code: "EACCES" });
    expect(explainListening(error, { host: "127.0.0.1", port: 80 })).toMatchObject({
      message: "Port 80 is not for this user: set PORT to one from 1024 on.",
    });
  });
});
