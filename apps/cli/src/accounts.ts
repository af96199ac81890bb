import { setUpAccount } from "@rubrica/commands";
import { changePlan, grantCredits, joinTeam, openedAccount } from "@rubrica/domain";
import { Plan } from "@rubrica/events";
import { apiKeySha256, newApiKey, newWebhookSecret } from "@rubrica/secrets";
import { type Command, Option } from "commander";
import { credits, name, uuid } from "./options.ts";
import { type Fields, textOf } from "./output.ts";
import { type Session, type Surroundings, withSession } from "./session.ts";

const planOption = () => new Option("--plan <plan>", "what the account may use").choices(Plan.options);

/** Opens an account; gives its first API key and its webhook secret, which nobody can look up later. */
const openAccount = async (
  { handlers, runtime: { ids, random }, contextFor }: Session,
  { name, plan, credits = 0 }: { name: string; plan: Plan; credits?: number },
) => {
  const accountId = ids.uuidv7();
  const apiKey = newApiKey(random);
  const webhookSecret = newWebhookSecret(random);
  const key = { keyId: ids.uuidv7(), keySha256: apiKeySha256(apiKey) };
  await setUpAccount(handlers, { accountId, name, plan, credits, webhookSecret, key }, contextFor(accountId));
  return { account_id: accountId, api_key: apiKey, webhook_secret: webhookSecret };
};

/** `account create|credits|plan|team`. */
export const accountCommands = (program: Command, surroundings: Surroundings): void => {
  const show = (fields: Fields, json: boolean | undefined) => surroundings.print(textOf(fields, json ?? false));
  const account = program.command("account").description("open and change accounts");

  account
    .command("create")
    .description("open an account; prints its first API key and its webhook secret, once")
    .requiredOption("--name <name>", "the account's name", name)
    .addOption(planOption().default("basic"))
    .option("--credits <n>", "signatures for bulk calls", credits)
    .option("--json", "print one line of JSON")
    .action(async (options: { name: string; plan: Plan; credits?: number; json?: boolean }) => {
      await withSession(surroundings, async (session) => show(await openAccount(session, options), options.json));
    });

  account
    .command("credits")
    .description("grant credits for bulk calls")
    .argument("<account>", "the account's id", uuid)
    .requiredOption("--grant <n>", "how many", credits)
    .option("--json", "print one line of JSON")
    .action(async (accountId: string, options: { grant: number; json?: boolean }) => {
      await withSession(surroundings, async ({ handlers: { accounts }, runtime: { ids }, contextFor }) => {
        const command = { grantId: ids.uuidv7(), amount: options.grant };
        const { state } = await accounts.handle(accountId, grantCredits, command, contextFor(accountId));
        await show({ account_id: accountId, credits: openedAccount(state).balance }, options.json);
      });
    });

  account
    .command("plan")
    .description("change what the account may use")
    .argument("<account>", "the account's id", uuid)
    .addOption(planOption().makeOptionMandatory())
    .option("--json", "print one line of JSON")
    .action(async (accountId: string, { plan, json }: { plan: Plan; json?: boolean }) => {
      await withSession(surroundings, async ({ handlers: { accounts }, contextFor }) => {
        await accounts.handle(accountId, changePlan, { plan }, contextFor(accountId));
        await show({ account_id: accountId, plan }, json);
      });
    });

  account
    .command("team")
    .description("join a team, whose accounts read each other's documents; a new one when no id is given")
    .argument("<account>", "the account's id", uuid)
    .argument("[team]", "the team's id", uuid)
    .option("--json", "print one line of JSON")
    .action(async (accountId: string, team: string | undefined, { json }: { json?: boolean }) => {
      await withSession(surroundings, async ({ handlers: { accounts }, runtime, contextFor }) => {
        const teamId = team ?? runtime.ids.uuidv7();
        await accounts.handle(accountId, joinTeam, { teamId }, contextFor(accountId));
        await show({ account_id: accountId, team_id: teamId }, json);
      });
    });
};
