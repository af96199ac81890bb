import { Command } from "commander";
import { accountCommands } from "./accounts.ts";
import { analyticsCommands } from "./analytics.ts";
import { auditCommands } from "./audit.ts";
import { campaignCommands } from "./campaigns.ts";
import { eraseCommand } from "./erase.ts";
import { keyCommands } from "./keys.ts";
import { migrateCommand } from "./migrate.ts";
import { obligationCommands } from "./obligations.ts";
import { quarantineCommand } from "./quarantine.ts";
import { rebuildCommand } from "./rebuild.ts";
import type { Surroundings } from "./session.ts";
import { verifyCommand } from "./verify.ts";
import { webhookCommands } from "./webhooks.ts";
import { whatsAppCommands } from "./whatsapp.ts";

const EXAMPLES = `
Examples:
  npm run rubrica -- account create --name ACME --plan pro --credits 100 --json
  npm run rubrica -- key issue 019aa5c0-0000-7000-8000-0000000000a1
  npm run rubrica -- campaign create 019aa5c0-0000-7000-8000-0000000000a1 --name Leases --request-photos yes
  npm run rubrica -- erase --document 019aa5c0-0000-7000-8000-0000000000d1
  npm run rubrica -- obligations stuck
  npm run rubrica -- rebuild
  npm run rubrica -- quarantine
  npm run rubrica -- analytics snapshot --to analysts.sqlite
  npm run rubrica -- audit verify
  npm run -s rubrica -- audit export > events.ndjson
  npm run rubrica -- verify signed.pdf --roots ca.pem
  npm run rubrica -- migrate
  npm run rubrica -- webhooks list --account 019aa5c0-0000-7000-8000-0000000000a1
  npm run rubrica -- webhooks secret rotate 019aa5c0-0000-7000-8000-0000000000a1
  npm run rubrica -- whatsapp templates

It works on the data folder that DATA_DIR names (./data), beside a running service or without one.`;

/** The command line `rubrica`. Called without a command it prints its help. */
export const createProgram = (surroundings: Surroundings): Command => {
  const program = new Command("rubrica")
    .description(
      "Accounts, API keys, campaigns, erasure, obligations, read models, files for analysts, the audit, signed files, the engines, webhooks and the WhatsApp templates of a Rubrica service",
    )
    .addHelpText("after", EXAMPLES)
    .helpCommand(true);
  accountCommands(program, surroundings);
  keyCommands(program, surroundings);
  campaignCommands(program, surroundings);
  eraseCommand(program, surroundings);
  obligationCommands(program, surroundings);
  rebuildCommand(program, surroundings);
  quarantineCommand(program, surroundings);
  analyticsCommands(program, surroundings);
  auditCommands(program, surroundings);
  verifyCommand(program, surroundings);
  migrateCommand(program, surroundings);
  webhookCommands(program, surroundings);
  whatsAppCommands(program, surroundings);
  return program.action(() => program.outputHelp());
};
