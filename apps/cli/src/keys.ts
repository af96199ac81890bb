import { blockApiKey, issueApiKey, openedAccount, revokeApiKey, unblockApiKey } from "@rubrica/domain";
import { apiKeySha256, newApiKey } from "@rubrica/secrets";
import type { Command } from "commander";
import { keyName, uuid } from "./options.ts";
import { textOf } from "./output.ts";
import { type Surroundings, withSession } from "./session.ts";

const changes = {
  revoke: { decide: revokeApiKey, description: "end a key for good", state: "revoked" },
  block: { decide: blockApiKey, description: "refuse a key until it is unblocked", state: "blocked" },
  unblock: { decide: unblockApiKey, description: "take a blocked key again", state: "active" },
} as const;

/** `key issue|revoke|block|unblock`. */
export const keyCommands = (program: Command, surroundings: Surroundings): void => {
  const key = program.command("key").description("issue API keys, and take them back");

  key
    .command("issue")
    .description("issue one more API key; prints it, once")
    .argument("<account>", "the account's id", uuid)
    .option("--name <name>", "what it is for; legal reports show it", keyName)
    .option("--json", "print one line of JSON")
    .action(async (accountId: string, { name, json = false }: { name?: string; json?: boolean }) => {
      await withSession(surroundings, async ({ handlers: { accounts }, runtime: { ids, random }, contextFor }) => {
        const apiKey = newApiKey(random);
        const keyId = ids.uuidv7();
        const command = { keyId, keySha256: apiKeySha256(apiKey), name: name ?? null };
        await accounts.handle(accountId, issueApiKey, command, contextFor(accountId));
        await surroundings.print(textOf({ account_id: accountId, key_id: keyId, api_key: apiKey }, json));
      });
    });

  for (const [name, { decide, description, state }] of Object.entries(changes)) {
    key
      .command(name)
      .description(description)
      .argument("<account>", "the account's id", uuid)
      .argument("<key>", "the key's id, as `key issue` and `key list` print it", uuid)
      .option("--json", "print one line of JSON")
      .action(async (accountId: string, keyId: string, { json = false }: { json?: boolean }) => {
        await withSession(surroundings, async ({ handlers: { accounts }, contextFor }) => {
          await accounts.handle(accountId, decide, { keyId }, contextFor(accountId));
          await surroundings.print(textOf({ account_id: accountId, key_id: keyId, state }, json));
        });
      });
  }

  key
    .command("list")
    .description("list an account's keys by id, state and name")
    .argument("<account>", "the account's id", uuid)
    .action(async (accountId: string) => {
      await withSession(surroundings, async ({ handlers: { accounts } }) => {
        const { keys } = openedAccount(await accounts.load(accountId));
        for (const { keyId, state, name } of Object.values(keys)) {
          await surroundings.print(`${keyId}  ${state}${name === null ? "" : `  ${name}`}`);
        }
      });
    });
};
