import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { repository } from "@rubrica/test-kit";
import { followWarningsOf } from "@rubrica/test-kit/warnings";
import { expect, test } from "vitest";

const ending = pathToFileURL(`${repository}/packages/hosting/src/ending.ts`);

/** A process that says how long its clock was asked to wait, on a clock of which that time is up at once or never. */
const program = (isUp: boolean, stop: string) => `
  import { Ending } from ${JSON.stringify(ending.href)};
  const never = new Promise(() => {});
  const wait = (ms) => (process.stdout.write(String(ms)), ${isUp} ? Promise.resolve() : never);
  new Ending({ clock: { monotonicMs: () => 0, wait } }).by(() => ${stop});
  setInterval(() => {}, 1_000);
  process.kill(process.pid, "SIGTERM");
`;

test.each([
  ["what never stops has 9.5 s, of the ten in which an app ends", true, "never", 0],
  ["what stops ends it at once", false, "Promise.resolve()", 0],
  ["what fails to stop is told by the exit code", false, "Promise.reject(new Error())", 1],
])("%s", async (_what, isUp, stop, code) => {
  const args = ["--trace-warnings", "--input-type=module", "--eval", program(isUp, stop)];
  const child = followWarningsOf("app", spawn(process.execPath, args), true);
  const [said, [ended]] = await Promise.all([text(child.stdout), once(child, "close")]);
  expect([said, ended]).toEqual(["9500", code]);
});
