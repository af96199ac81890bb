import { idsFrom, systemRuntime } from "@rubrica/runtime";
import { ManualClock } from "@rubrica/runtime/testing";
import { eventually, rubricaClient, runCommandLine } from "@rubrica/test-kit";
import { expect, test } from "vitest";
import { serviceInProcess } from "../support/service.ts";

/** How long the service may go on with what it knows of a key, by its own clock. */
const PROMISED_MS = 1_000;
/** The key is looked at before the body, which is none. */
const TAKEN = 400;

/** The service, whose clock stands still until it is advanced, and the command line in processes of their own beside it. */
const serviceAndOperator = async () => {
  const { random, clock: systemClock } = systemRuntime();
  const clock = new ManualClock(systemClock.now());
  const service = await serviceInProcess({ runtime: { clock, random, ids: idsFrom(clock, random) } });
  const rubrica = async (...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runCommandLine({ DATA_DIR: service.dataDir }, ...words);
    expect(code, stderr).toBe(0);
    return stdout;
  };
  return { service, clock, rubrica };
};

test("a key that the command line takes back, or gives back, is refused, or taken, within a second", async () => {
  const { service, clock, rubrica } = await serviceAndOperator();
  await using _ended = service;
  const made = JSON.parse(await rubrica("account", "create", "--name", "ACME", "--plan", "pro", "--json"));
  const [keyId = ""] = (await rubrica("key", "list", made.account_id)).split(" ");
  const { send } = rubricaClient({ url: service.url, apiKey: made.api_key });
  // A GET would wait for read models, by the clock that stands still.
  const status = async (): Promise<number> => (await send("PUT", "/api/account/changeBusinessName", {})).status;
  expect(await status()).toBe(TAKEN);

  for (const [change, expected] of [
    ["block", 403],
    ["unblock", TAKEN],
    ["block", 403],
    ["revoke", 401],
  ] as const) {
    await rubrica("key", change, made.account_id, keyId);
    clock.advance(PROMISED_MS);
    await eventually(`${expected} after ${change}`, async () => (await status()) === expected);
  }
});
