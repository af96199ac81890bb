import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { freePort } from "../src/index.ts";

const PORTS = new URL("../src/ports.ts", import.meta.url);
/** Of a thread, which has the id of this process, and modules of its own. */
const ASKED = `import(${JSON.stringify(PORTS.href)}).then(async ({ freePort }) => {
  const { parentPort } = require("node:worker_threads");
  parentPort.postMessage(await freePort());
  parentPort.on("message", () => process.exit());
})`;

test("who asks at the same time takes ports of another slice", async () => {
  const mine = await freePort();
  const other = new Worker(ASKED, { eval: true });
  try {
    const [port] = await once(other, "message");
    expect(Math.floor((port - 11_000) / 500)).not.toBe(Math.floor((mine - 11_000) / 500));
    expect([port % 500, mine % 500]).not.toContain(0);
  } finally {
    other.postMessage("end");
    await once(other, "exit");
  }
});

test("no port is given twice in a row", async () => {
  expect(new Set([await freePort(), await freePort(), await freePort()]).size).toBe(3);
});
