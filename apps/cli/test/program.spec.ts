import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { configFrom } from "@rubrica/config";
import { openEngines } from "@rubrica/open-engines/stores";
import { systemRuntime } from "@rubrica/runtime";
import { apiKeySha256 } from "@rubrica/secrets";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createProgram } from "../src/program.ts";

const runtime = systemRuntime();
let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "rubrica-cli-"));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

/** Runs the CLI and gives what it printed. */
const rubrica = async (...args: string[]): Promise<string> => {
  const lines: string[] = [];
  const print = async (text: string) => void lines.push(text);
  const program = createProgram({ environment: { DATA_DIR: dataDir }, runtime, print });
  for (const command of [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)]) {
    command.exitOverride().configureOutput({ writeOut: (text) => lines.push(text), writeErr: () => {} });
  }
  await program.parseAsync(args, { from: "user" });
  return lines.join("\n");
};

const json = async (...args: string[]) => JSON.parse(await rubrica(...args, "--json"));

/** The account as the events have it. */
const account = async (accountId: string) => {
  const engines = await openEngines(configFrom({ DATA_DIR: dataDir }), runtime);
  try {
    const state = await engines.handlers.accounts.load(accountId);
    if (state.status === "none") throw new Error("no such account");
    return state;
  } finally {
    await engines.close();
  }
};

describe("rubrica", () => {
  test("alone prints help with examples", async () => {
    const help = await rubrica();
    expect(help).toContain("Usage: rubrica");
    expect(help).toContain("npm run rubrica -- account create --name ACME --plan pro --credits 100 --json");
  });

  test("opens an account, with plan, credits, a key of which only the hash is kept, and a webhook secret", async () => {
    const made = await json("account", "create", "--name", "ACME", "--plan", "pro", "--credits", "100");
    expect(Object.keys(made)).toEqual(["account_id", "api_key", "webhook_secret"]);
    const state = await account(made.account_id);
    expect(state).toMatchObject({ name: "ACME", plan: "pro", balance: 100, webhookSecret: made.webhook_secret });
    expect(Object.values(state.keys)).toEqual([
      { keyId: expect.any(String), keySha256: apiKeySha256(made.api_key), name: null, state: "active" },
    ]);
  });

  test("issues, blocks, unblocks and revokes keys", async () => {
    const { account_id } = await json("account", "create", "--name", "ACME");
    const { key_id, api_key } = await json("key", "issue", account_id, "--name", "billing");
    const state = async () => (await account(account_id)).keys[key_id];
    expect(await state()).toEqual({
      keyId: key_id,
      keySha256: apiKeySha256(api_key),
      name: "billing",
      state: "active",
    });
    for (const [command, expected] of [
      ["block", "blocked"],
      ["unblock", "active"],
      ["revoke", "revoked"],
    ] as const) {
      await rubrica("key", command, account_id, key_id);
      expect((await state())?.state).toBe(expected);
    }
    expect(await rubrica("key", "list", account_id)).toContain(`${key_id}  revoked`);
  });

  test("grants credits, changes the plan and joins a team", async () => {
    const { account_id } = await json("account", "create", "--name", "ACME", "--credits", "5");
    expect(await json("account", "credits", account_id, "--grant", "7")).toEqual({ account_id, credits: 12 });
    await rubrica("account", "plan", account_id, "--plan", "pro");
    const { team_id } = await json("account", "team", account_id);
    expect(await account(account_id)).toMatchObject({ plan: "pro", teamId: team_id, balance: 12 });
  });

  test("chooses what an account's webhooks tell", async () => {
    const { account_id } = await json("account", "create", "--name", "ACME");
    const contract = { account_id, webhook_events: "alert,report,msg,rejection" };
    expect(await json("webhooks", "events", account_id)).toEqual(contract);
    const chosen = { account_id, webhook_events: "alert,canceled" };
    expect(await json("webhooks", "events", account_id, "--choose", "alert,canceled")).toEqual(chosen);
    expect(await json("webhooks", "events", account_id)).toEqual(chosen);
    expect(await account(account_id)).toMatchObject({ webhookEvents: ["alert", "canceled"] });
  });

  test("creates campaigns, numbered from 1 in each account", async () => {
    const { account_id } = await json("account", "create", "--name", "ACME");
    expect(await json("campaign", "create", account_id, "--name", "A")).toMatchObject({ campaign_id: 1 });
    const second = await json("campaign", "create", account_id, "--name", "B", "--request-photos", "yes");
    expect(second).toMatchObject({ campaign_id: 2 });
    expect((await account(account_id)).campaigns[1]).toMatchObject({ requestPhotos: true, validatePhotos: null });
  });

  test("takes the days that a campaign's documents are kept, and can be signed", async () => {
    const { account_id } = await json("account", "create", "--name", "ACME");
    await json("campaign", "create", account_id, "--name", "A", "--retention-days", "30");
    expect((await account(account_id)).campaigns[0]).toMatchObject({ retentionDays: 30, expiresInDays: null });
    await json("campaign", "create", account_id, "--name", "B", "--expires-in-days", "3650");
    expect((await account(account_id)).campaigns[1]).toMatchObject({ retentionDays: null, expiresInDays: 3_650 });
    await json("campaign", "create", account_id, "--name", "C", "--refusal-hours", "24", "--silence-hours", "48");
    expect((await account(account_id)).campaigns[2]).toMatchObject({ refusalHours: 24, silenceHours: 48 });
    await json("campaign", "create", account_id, "--name", "D", "--reminders", "24,48,3");
    expect((await account(account_id)).campaigns[3]).toMatchObject({
      reminders: { afterHours: 24, everyHours: 48, max: 3 },
    });
  });

  test.each([
    [["campaign", "create", "019aa5c0-0000-7000-8000-0000000000a1", "--name", "A", "--retention-days", "0"], /whole/],
    [
      ["campaign", "create", "019aa5c0-0000-7000-8000-0000000000a1", "--name", "A", "--expires-in-days", "3651"],
      /from 1 to 3650/,
    ],
    [
      ["campaign", "create", "019aa5c0-0000-7000-8000-0000000000a1", "--name", "A", "--reminders", "1,2,3"],
      /12 or more/,
    ],
    [["webhooks", "events", "019aa5c0-0000-7000-8000-0000000000a1", "--choose", "alert,signed"], /signer_signed/],
    [["erase"], /--document/],
    [["account", "plan", "019aa5c0-0000-7000-8000-0000000000a1", "--plan", "pro"], /no such account/],
    [["account", "plan", "me", "--plan", "pro"], /It is a UUID/],
    [["account", "create", "--name", "ACME", "--credits", "-1"], /whole number/],
    [["account", "create", "--name", "\u3164"], /something that can be seen/],
    [["account", "create", "--name", ""], /must not be empty/],
    [["campaign", "create", "019aa5c0-0000-7000-8000-0000000000a1", "--name", "a\u202eb"], /direction of text/],
    [
      ["campaign", "create", "019aa5c0-0000-7000-8000-0000000000a1", "--name", "a", "--message", "a\u2066b"],
      /direction of text/,
    ],
    [["account", "create", "--name", "ACME", "--plan", "gold"], /Allowed choices are basic, pro/],
    [["account", "create", "--name", ""], /It is text of 1 to 200 characters/],
    [["account", "create", "--name", "  \u200b "], /It is text of 1 to 200 characters/],
    [["account", "create", "--name", "x".repeat(201)], /It is text of 1 to 200 characters/],
    [["account", "create", "--name", "\u202eEMCA"], /It is text of 1 to 200 characters/],
    [["campaign", "create", "019aa5c0-0000-7000-8000-0000000000a1", "--name", ""], /It is text of 1 to 200/],
    [
      ["campaign", "create", "019aa5c0-0000-7000-8000-0000000000a1", "--name", "A", "--message", "x".repeat(1_001)],
      /It is text of 1 to 1000/,
    ],
    [["key", "list", "019aa5c0-0000-7000-8000-0000000000a1"], /no such account/],
    [["rebuild", "everything"], /It is one of documents, /],
    [["analytics", "snapshot", "--to", ""], /It names nothing/],
    [["analytics", "export", "--to", " "], /It names nothing/],
  ])("refuses %j in a sentence", async (args, message) => {
    await expect(rubrica(...args)).rejects.toThrow(message);
  });
});

test("rubrica erase says so of a document that there is not", async () => {
  await rubrica("account", "create", "--name", "ACME");
  const erase = rubrica("erase", "--document", "019aa5c0-0000-7000-8000-0000000000d1");
  await expect(erase).rejects.toThrow("no such document");
});

test("rubrica rebuild builds the read models anew", async () => {
  await rubrica("account", "create", "--name", "ACME");
  expect(await rubrica("rebuild")).toMatch(/^Rebuilt documents, .*obligations.* in \d+\.\d s\.$/);
  expect(await rubrica("rebuild", "documents")).toMatch(/^Rebuilt documents in/);
});

test("rubrica rebuild makes a damaged file of read models anew, also when the damage is met halfway", async () => {
  await rubrica("account", "create", "--name", "ACME");
  await rubrica("rebuild");
  const path = join(dataDir, "read-models.sqlite");
  writeFileSync(path, "no database at all".repeat(1_000));
  expect(await rubrica("rebuild")).toMatch(/^Rebuilt documents, .* s\.$/);
  // The tables' definitions stay; what one of them holds does not.
  const database = new DatabaseSync(path);
  const page = Number(database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'records'").get()?.rootpage);
  database.close();
  writeFileSync(path, readFileSync(path).fill(0xa5, (page - 1) * 4_096, page * 4_096));
  expect(await rubrica("rebuild")).toMatch(
    /^The read models' file is damaged and is made anew\..*\nRebuilt documents, /,
  );
  expect(await rubrica("rebuild")).toMatch(/^Rebuilt documents, /);
});
