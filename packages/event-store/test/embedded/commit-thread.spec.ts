import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { noteWarningsIn } from "@rubrica/test-kit/warnings";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CommitThread } from "../../src/embedded/commit-thread.ts";
import { ConflictError } from "../../src/index.ts";
import { prepareAppend } from "../../src/prepare-append.ts";
import { temporaryFolder } from "../helpers/embedded.ts";
import { anEvent } from "../helpers/events.ts";

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder.path, "events.sqlite");
});
afterEach(() => folder.remove());

const first = () => [prepareAppend("a-1", "no_stream", [anEvent()])];

test("a thread that has ended is started anew by the next group", async () => {
  const thread = new CommitThread(path);
  expect(await thread.commit(first())).toMatchObject([{ revision: 0n }]);
  await thread.close();
  expect(await thread.commit(first())).toEqual([new ConflictError("a-1", "no_stream", 0n)]);
  await thread.close();
});

test("what SQLite says of a file comes from the thread with its code", async () => {
  writeFileSync(path, "no database".repeat(100));
  const thread = new CommitThread(path);
  await expect(thread.commit(first())).rejects.toMatchObject({ failure: "not_an_event_store" });
  await thread.close();
});

test("a store that nobody closed keeps no process alive", () => {
  const program = join(import.meta.dirname, "..", "helpers", "unclosed.ts");
  const { stdout, stderr } = spawnSync(process.execPath, ["--trace-warnings", program, path], { encoding: "utf8" });
  noteWarningsIn("a store that nobody closed", stderr);
  expect(stdout, stderr).toBe("appended\n");
});
