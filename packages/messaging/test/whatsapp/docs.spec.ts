import { readFileSync } from "node:fs";
import { join } from "node:path";
import { LINK_BASE, templates } from "@rubrica/test-kit/messaging/whatsapp";
import { expect, test } from "vitest";
import {
  ANSWER_LABELS,
  CANCELED_TEMPLATE,
  COPY_LABEL,
  COPY_TEMPLATE,
  LINK_LABEL,
  LINK_TEMPLATE,
  LINK_UNTIL_TEMPLATE,
  REMINDER_LINK_TEMPLATE,
  REMINDER_LINK_UNTIL_TEMPLATE,
  REMINDER_TEMPLATE,
  REMINDER_UNTIL_TEMPLATE,
  REQUEST_NOTE_TEMPLATE,
  REQUEST_NOTE_UNTIL_TEMPLATE,
  REQUEST_TEMPLATE,
  REQUEST_UNTIL_TEMPLATE,
} from "../../src/index.ts";
import { templateDefinitions, WHATSAPP_ERRORS } from "../../src/whatsapp/index.ts";

const docs = readFileSync(join(import.meta.dirname, "..", "..", "..", "..", "docs", "whatsapp.md"), "utf8");

test("docs/whatsapp.md has every error code, with its word, and whether it is tried again", () => {
  const said = [...docs.matchAll(/^\| (\d+) \| `([a-z_]+)` \| (later|for good) \|/gm)].map(([, code, reason, when]) => [
    Number(code),
    { reason, permanent: when === "for good" },
  ]);
  expect(said).toEqual([...WHATSAPP_ERRORS]);
});

test("docs/whatsapp.md has the templates' texts to the letter", () => {
  const until = [REQUEST_UNTIL_TEMPLATE, REQUEST_NOTE_UNTIL_TEMPLATE];
  const reminders = [REMINDER_TEMPLATE, REMINDER_UNTIL_TEMPLATE, REMINDER_LINK_TEMPLATE, REMINDER_LINK_UNTIL_TEMPLATE];
  const texts = [
    ...reminders,
    REQUEST_TEMPLATE,
    REQUEST_NOTE_TEMPLATE,
    ...until,
    LINK_TEMPLATE,
    LINK_UNTIL_TEMPLATE,
    COPY_TEMPLATE,
    CANCELED_TEMPLATE,
  ];
  for (const { body } of texts) expect(docs).toContain(` ${body} |`);
  for (const label of [...Object.values(ANSWER_LABELS), LINK_LABEL, COPY_LABEL]) expect(docs).toContain(`*${label}*`);
  for (const { name } of templateDefinitions(templates, LINK_BASE)) expect(docs).toContain(`\`${name}\``);
});
