import {
  chooseWebhookEvents,
  DomainError,
  issueWebhookSecret,
  openedAccount,
  requestRedelivery,
  webhookEventsOf,
} from "@rubrica/domain";
import { derivedId, WebhookType } from "@rubrica/events";
import {
  LISTED_FIELD,
  type ListedWebhook,
  listedRange,
  type ReadModelStore,
  type WebhookEntry,
  webhooks,
} from "@rubrica/read-models";
import { newWebhookSecret } from "@rubrica/secrets";
import { type Command, InvalidArgumentError } from "commander";
import { uuid, webhookTypes } from "./options.ts";
import { type Fields, textOf } from "./output.ts";
import { type Surroundings, withSession, withStoredSession } from "./session.ts";

const PAGE = 500;
const MAX_ID_LENGTH = 200;

const webhookId = (text: string): string => {
  if (!/^[\w:-]+$/.test(text) || text.length > MAX_ID_LENGTH) throw new InvalidArgumentError("It is a webhook's id.");
  return text;
};

const fieldsOf = (documentId: string, entry: WebhookEntry): Fields => {
  const last = entry.attempts.at(-1);
  return {
    webhook_id: entry.webhookId,
    document_id: documentId,
    type: entry.webhookType,
    state: entry.state,
    attempts: last?.attempt ?? 0,
    last_attempt: last?.at ?? null,
    status: last?.status ?? null,
    reason: last?.reason ?? null,
    next_attempt: entry.nextAttemptAt,
  };
};

/** An account's webhooks that were not taken, oldest first: those that are tried still, then those that are not. */
const notTaken = async function* (readModels: ReadModelStore, accountId: string): AsyncGenerator<ListedWebhook> {
  for (const state of ["failing", "abandoned"] as const) {
    for (let after: string | undefined = ""; after !== undefined; ) {
      const range = { ...listedRange(state, accountId, after), limit: PAGE };
      const page: { document: ListedWebhook }[] = await readModels.findRange(webhooks, LISTED_FIELD, range);
      for (const { document } of page) yield document;
      const last = page.length === PAGE ? page.at(-1)?.document : undefined;
      after = last && `${last.createdAt}/${last.webhookId}`;
    }
  }
};

const listCommand = (command: Command, surroundings: Surroundings): void => {
  command
    .command("list")
    .description("print a document's webhooks, or those of an account that were not taken")
    .option("--document <id>", "the document's id", uuid)
    .option("--account <id>", "the account's id", uuid)
    .option("--json", "print each as one line of JSON")
    .action(async ({ document, account, json = false }: { document?: string; account?: string; json?: boolean }) => {
      if ((document === undefined) === (account === undefined)) {
        throw new InvalidArgumentError("Name either --document or --account.");
      }
      const show = (documentId: string, entry: WebhookEntry) =>
        surroundings.print(`${textOf(fieldsOf(documentId, entry), json)}${json ? "" : "\n"}`);
      await withStoredSession(surroundings, async ({ readModels }) => {
        if (account !== undefined) {
          for await (const entry of notTaken(readModels, account)) await show(entry.documentId, entry);
          return;
        }
        const found = await readModels.get(webhooks, document ?? "");
        if (!found) throw new DomainError("unknown_document", "there is no such document");
        for (const entry of found.document.webhooks) await show(found.document.documentId, entry);
      });
    });
};

const redeliverCommand = (command: Command, surroundings: Surroundings): void => {
  command
    .command("redeliver")
    .description("send a webhook again that was attempted before, under its id")
    .argument("<webhook>", "the webhook's id, as `webhooks list` prints it", webhookId)
    .option("--json", "print one line of JSON")
    .action(async (id: string, { json = false }: { json?: boolean }) => {
      await withStoredSession(surroundings, async ({ handlers: { documents, deliveries }, runtime, contextFor }) => {
        const delivery = await deliveries.load(derivedId(id));
        if (delivery.status === "none") throw new DomainError("unknown_delivery", "no attempt was recorded");
        const document = await documents.load(delivery.documentId);
        if (document.status === "none") throw new DomainError("unknown_document", "there is no such document");
        const redeliveryId = runtime.ids.uuidv7();
        const command = { redeliveryId };
        await deliveries.handle(derivedId(id), requestRedelivery, command, contextFor(document.accountId));
        await surroundings.print(textOf({ webhook_id: id, document_id: delivery.documentId }, json));
      });
    });
};

const secretCommands = (command: Command, surroundings: Surroundings): void => {
  const secret = command.command("secret").description("what an account's webhooks are signed with");

  secret
    .command("show")
    .description("print the secret")
    .argument("<account>", "the account's id", uuid)
    .option("--json", "print one line of JSON")
    .action(async (accountId: string, { json = false }: { json?: boolean }) => {
      await withSession(surroundings, async ({ handlers: { accounts } }) => {
        const { webhookSecret } = openedAccount(await accounts.load(accountId));
        await surroundings.print(textOf({ account_id: accountId, webhook_secret: webhookSecret }, json));
      });
    });

  secret
    .command("rotate")
    .description("replace the secret; prints the new one. For 24 hours both sign")
    .argument("<account>", "the account's id", uuid)
    .option("--json", "print one line of JSON")
    .action(async (accountId: string, { json = false }: { json?: boolean }) => {
      await withSession(surroundings, async ({ handlers: { accounts }, runtime: { random }, contextFor }) => {
        const webhookSecret = newWebhookSecret(random);
        await accounts.handle(accountId, issueWebhookSecret, { secret: webhookSecret }, contextFor(accountId));
        await surroundings.print(textOf({ account_id: accountId, webhook_secret: webhookSecret }, json));
      });
    });
};

const eventsCommand = (command: Command, surroundings: Surroundings): void => {
  command
    .command("events")
    .description("what webhooks of an account's documents are told of; chosen for those that are asked for from now on")
    .argument("<account>", "the account's id", uuid)
    .option("--choose <kinds>", `of ${WebhookType.options.join(", ")}: with commas between`, webhookTypes)
    .option("--json", "print one line of JSON")
    .action(async (accountId: string, { choose, json = false }: { choose?: WebhookType[]; json?: boolean }) => {
      await withSession(surroundings, async ({ handlers: { accounts }, contextFor }) => {
        const account = choose
          ? (await accounts.handle(accountId, chooseWebhookEvents, { webhookEvents: choose }, contextFor(accountId)))
              .state
          : await accounts.load(accountId);
        const chosen = webhookEventsOf(openedAccount(account)).join(",");
        await surroundings.print(textOf({ account_id: accountId, webhook_events: chosen }, json));
      });
    });
};

/** `webhooks list|redeliver|events|secret show|secret rotate`. */
export const webhookCommands = (program: Command, surroundings: Surroundings): void => {
  const command = program.command("webhooks").description("see webhooks, send them again, and what signs them");
  listCommand(command, surroundings);
  redeliverCommand(command, surroundings);
  eventsCommand(command, surroundings);
  secretCommands(command, surroundings);
};
