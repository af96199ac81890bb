import { type Config, ConfigError, configFrom, requireWhatsApp, type WhatsAppConfig } from "@rubrica/config";
import { signingLinkBase } from "@rubrica/messaging";
import { type SubmissionOutcome, submitTemplates, templateDefinitions } from "@rubrica/messaging/whatsapp";
import type { Command } from "commander";
import type { Surroundings } from "./session.ts";

/** The texts are written in one language: Meta checks that a template is in the language that it names. */
const TEXTS_LANGUAGE = "es";

const whatsAppOf = (config: Config): WhatsAppConfig => {
  const whatsapp = requireWhatsApp(config);
  if (!whatsapp)
    throw new ConfigError("The variable MESSAGING can't be used: templates are WhatsApp's, set it to whatsapp.");
  return whatsapp;
};

const lineOf = (outcome: SubmissionOutcome): string =>
  "error" in outcome
    ? `${outcome.name} was not taken: ${outcome.error}`
    : `${outcome.name} was taken (${outcome.id}): ${outcome.status}`;

const submit = async ({ environment, runtime, print }: Surroundings): Promise<void> => {
  const config = configFrom(environment);
  const whatsapp = whatsAppOf(config);
  const { businessAccountId, templates } = whatsapp;
  if (businessAccountId === undefined) {
    throw new ConfigError("The variable WHATSAPP_BUSINESS_ACCOUNT_ID is missing: it says whose templates they are.");
  }
  if (config.publicUrl === undefined) {
    throw new ConfigError("The variable PUBLIC_URL is missing: the template of the link holds it.");
  }
  const other = Object.values(templates).find(({ language }) => language.split("_")[0] !== TEXTS_LANGUAGE);
  if (other) {
    throw new ConfigError(
      `The template ${other.name} can't be submitted from here: its language is ${other.language}, and the texts are Spanish; submit your own in WhatsApp Manager.`,
    );
  }
  const definitions = templateDefinitions(templates, signingLinkBase(config.publicUrl));
  const outcomes = await submitTemplates({ ...whatsapp, businessAccountId, clock: runtime.clock }, definitions);
  for (const outcome of outcomes) await print(lineOf(outcome));
  const refused = outcomes.filter((outcome) => "error" in outcome).length;
  if (refused > 0) throw new TemplatesRefused(refused);
};

/** Meta did not take templates; which ones was printed. */
export class TemplatesRefused extends Error {
  constructor(count: number) {
    super(`${count} of the templates were not taken.`);
    this.name = "TemplatesRefused";
  }
}

/** `whatsapp templates`. */
export const whatsAppCommands = (program: Command, surroundings: Surroundings): void => {
  program
    .command("whatsapp")
    .description("what WhatsApp has to know")
    .command("templates")
    .description("print the templates that signers are sent, as Meta takes them")
    .option("--submit", "submit them to Meta for its approval")
    .action(async ({ submit: isToSubmit = false }: { submit?: boolean }) => {
      if (isToSubmit) return submit(surroundings);
      const config = configFrom(surroundings.environment);
      const base = signingLinkBase(config.publicUrl ?? `http://localhost:${config.port}`);
      await surroundings.print(JSON.stringify(templateDefinitions(whatsAppOf(config).templates, base), null, 2));
    });
};
