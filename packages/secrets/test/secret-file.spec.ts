import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { systemRandom } from "@rubrica/runtime";
import { noteWarningsIn } from "@rubrica/test-kit/warnings";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSecrets, loadOrCreateSecret } from "../src/index.ts";

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "rubrica-secret-"));
});
afterEach(() => rm(dataDir, { recursive: true }));

test("the secret is made once, for its owner's eyes, and stays", async () => {
  const made = await loadOrCreateSecret(dataDir, systemRandom);
  expect(await loadOrCreateSecret(dataDir, systemRandom)).toEqual(made);
  expect(await readdir(dataDir)).toEqual(["secret"]);
  expect((await stat(join(dataDir, "secret"))).mode & 0o777).toBe(0o600);
  expect(() => createSecrets({ current: made })).not.toThrow();
});

test("its line is the secret, so that it can be moved to the environment", async () => {
  const made = await loadOrCreateSecret(dataDir, systemRandom);
  expect(Buffer.from((await readFile(join(dataDir, "secret"), "utf8")).trim())).toEqual(made);
});

test("calls that race get one secret", async () => {
  const made = await Promise.all(Array.from({ length: 20 }, () => loadOrCreateSecret(dataDir, systemRandom)));
  expect(new Set(made.map((secret) => secret.toString("hex"))).size).toBe(1);
  expect(await readdir(dataDir)).toEqual(["secret"]);
});

test("processes that race get one secret", async () => {
  const program = `
    import { loadOrCreateSecret } from ${JSON.stringify(new URL("../src/index.ts", import.meta.url).href)};
    import { systemRandom } from "@rubrica/runtime";
    console.log((await loadOrCreateSecret(process.argv[1], systemRandom)).toString("hex"));`;
  const run = () =>
    promisify(execFile)(process.execPath, ["--input-type=module-typescript", "--eval", program, dataDir], {
      cwd: import.meta.dirname,
    });
  const printed = await Promise.all([run(), run(), run()]);
  for (const { stderr } of printed) noteWarningsIn("a process that makes a secret", stderr);
  expect(new Set(printed.map(({ stdout }) => stdout.trim())).size).toBe(1);
});

test("a damaged file is an error, not a new secret", async () => {
  await writeFile(join(dataDir, "secret"), "short\n");
  await expect(loadOrCreateSecret(dataDir, systemRandom)).rejects.toThrow(/damaged/);
});

test("a folder that is not there is an error", async () => {
  await expect(loadOrCreateSecret(join(dataDir, "no"), systemRandom)).rejects.toThrow(/ENOENT/);
});
