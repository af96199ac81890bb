import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { configFrom } from "@rubrica/config";
import { openEngines } from "@rubrica/engines";
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
      { keyId: expect.any(String), keySha256: apiKeySha256(made.api_key), state: "active" },
    ]);
  });

  test("issues, blocks, unblocks and revokes keys", async () => {
    const { account_id } = await json("account", "create", "--name", "ACME");
    const { key_id, api_key } = await json("key", "issue", account_id);
    const state = async () => (await account(account_id)).keys[key_id];
    expect(await state()).toEqual({ keyId: key_id, keySha256: apiKeySha256(api_key), state: "active" });
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

  test("creates campaigns, numbered from 1 in each account", async () => {
    const { account_id } = await json("account", "create", "--name", "ACME");
    expect(await json("campaign", "create", account_id, "--name", "A")).toMatchObject({ campaign_id: 1 });
    const second = await json("campaign", "create", account_id, "--name", "B", "--request-photos", "yes");
    expect(second).toMatchObject({ campaign_id: 2 });
    expect((await account(account_id)).campaigns[1]).toMatchObject({ requestPhotos: true, validatePhotos: null });
  });

  test.each([
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
  ])("refuses %j in a sentence", async (args, message) => {
    await expect(rubrica(...args)).rejects.toThrow(message);
  });
});

describe("rubrica audit", () => {
  test("exports every event as a line of JSON and verifies each stream's chain", async () => {
    await rubrica("account", "create", "--name", "ACME", "--credits", "5");
    const events = (await rubrica("audit", "export")).split("\n").map((line) => JSON.parse(line));
    expect(events.map(({ type }) => type)).toEqual([
      "AccountOpened",
      "CreditsGranted",
      "WebhookSecretIssued",
      "ApiKeyIssued",
    ]);
    expect(events.map(({ revision }) => revision)).toEqual([0, 1, 2, 3]);
    expect(await rubrica("audit", "verify")).toBe("4 events in 1 streams: every chain holds.");
  });

  test("finds an event that was changed in the store", async () => {
    const { account_id } = await json("account", "create", "--name", "ACME", "--credits", "5");
    const database = new DatabaseSync(join(dataDir, "events.sqlite"));
    // The store forbids changes; whoever holds the file can take that away.
    const triggers = database.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'").all();
    for (const { name } of triggers) database.exec(`DROP TRIGGER "${name}"`);
    const { changes } = database.prepare(`UPDATE events SET data = replace(data, '"amount":5', '"amount":9')`).run();
    database.close();
    expect(changes).toBeGreaterThan(0);
    await expect(rubrica("audit", "verify")).rejects.toThrow(`account-${account_id} at revision 1`);
  });
});

test("rubrica rebuild builds the read models anew", async () => {
  await rubrica("account", "create", "--name", "ACME");
  expect(await rubrica("rebuild")).toMatch(/^Rebuilt documents, .*obligations.* in \d+\.\d s\.$/);
  expect(await rubrica("rebuild", "documents")).toMatch(/^Rebuilt documents in/);
});
