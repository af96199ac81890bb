import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { lockDataFolder } from "@rubrica/open-engines/folder-lock";
import { temporaryFolder } from "@rubrica/test-kit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { linesOf } from "../src/testing.ts";

// Nobody listens there: what is refused is refused before the engines are asked.
const ENGINES = { EVENTSTORE_URL: "esdb://127.0.0.1:9?tls=false", MONGODB_URL: "mongodb://127.0.0.1:9/" };

let folder: ReturnType<typeof temporaryFolder>;
let dataDir: string;
beforeEach(() => {
  folder = temporaryFolder();
  dataDir = join(folder.path, "data");
});
afterEach(() => folder[Symbol.dispose]());

const rubrica = async (environment: Record<string, string>, ...args: string[]): Promise<string> =>
  (await linesOf(args, { DATA_DIR: dataDir, ...environment })).join("\n");

test.each(["EVENTSTORE_URL", "MONGODB_URL"] as const)("rubrica migrate says that %s is missing", async (name) => {
  const { [name]: _, ...rest } = ENGINES;
  await expect(rubrica(rest, "migrate")).rejects.toThrow(
    `The variable ${name} is missing: it names the engine to copy to.`,
  );
});

test("rubrica migrate makes no folder where there is none to copy", async () => {
  await expect(rubrica(ENGINES, "migrate")).rejects.toThrow(/^There is no event store in the data folder .*data: set/);
  expect(existsSync(dataDir)).toBe(false);
});

test.each(["service", "command-api"])("rubrica migrate refuses a folder that a %s writes to", async (kind) => {
  await rubrica({}, "account", "create", "--name", "ACME");
  const before = readdirSync(dataDir);
  const lock = lockDataFolder(dataDir, kind);
  await expect(rubrica(ENGINES, "migrate", "--verify")).rejects.toThrow(/is in use by another process: stop that one/);
  lock.close();
  expect(readdirSync(dataDir).filter((name) => !name.endsWith(".lock"))).toEqual(before);
});
