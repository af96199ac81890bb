import { createCampaign, openedAccount } from "@rubrica/domain";
import type { Reminders } from "@rubrica/events";
import type { Command } from "commander";
import { days, expiryDays, holdHours, message, name, reminders, uuid, yesOrNo } from "./options.ts";
import { textOf } from "./output.ts";
import { type Surroundings, withSession } from "./session.ts";

interface CampaignOptions {
  name: string;
  message?: string;
  requestPhotos?: boolean;
  validatePhotos?: boolean;
  retentionDays?: number;
  expiresInDays?: number;
  refusalHours?: number;
  silenceHours?: number;
  reminders?: Reminders;
  json?: boolean;
}

/** `campaign create`. */
export const campaignCommands = (program: Command, surroundings: Surroundings): void => {
  program
    .command("campaign")
    .description("templates for document requests")
    .command("create")
    .description("create a template: what it sets wins over the defaults, a request's own fields win over it")
    .argument("<account>", "the account's id", uuid)
    .requiredOption("--name <name>", "the campaign's name, unique within the account", name)
    .option("--message <text>", "the message that asks the signer", message)
    .option("--request-photos <yes|no>", "whether photos are asked for", yesOrNo)
    .option("--validate-photos <yes|no>", "whether photos are validated (plan pro)", yesOrNo)
    .option("--retention-days <n>", "days after its end at which a document is erased", days)
    .option("--expires-in-days <n>", "days after its request until which a document can be signed", expiryDays)
    .option("--refusal-hours <n>", "hours after which who chose not to continue gives the phone up; 72", holdHours)
    .option("--silence-hours <n>", "hours after which who does not answer does; as long as it takes", holdHours)
    .option("--reminders <after,every,max>", "hours after the message, hours between, how often: 24,48,3", reminders)
    .option("--json", "print one line of JSON")
    .action(async (accountId: string, options: CampaignOptions) => {
      await withSession(surroundings, async ({ handlers: { accounts }, contextFor }) => {
        const { name, message, requestPhotos, validatePhotos, json = false, ...times } = options;
        const command = {
          name,
          messageText: message ?? null,
          requestPhotos: requestPhotos ?? null,
          validatePhotos: validatePhotos ?? null,
          retentionDays: times.retentionDays ?? null,
          expiresInDays: times.expiresInDays ?? null,
          refusalHours: times.refusalHours ?? null,
          silenceHours: times.silenceHours ?? null,
          reminders: times.reminders ?? null,
        };
        const { state } = await accounts.handle(accountId, createCampaign, command, contextFor(accountId));
        const campaign = openedAccount(state).campaigns.find((one) => one.name === name);
        await surroundings.print(textOf({ account_id: accountId, campaign_id: campaign?.campaignId ?? null }, json));
      });
    });
};
