import { serveTasks } from "@rubrica/helpers/serve";
import { readDocx } from "../contents/read-docx.ts";
import { DocxRefused } from "../refused.ts";
import { fill } from "./fill.ts";
import type { TemplateOutcome, TemplateTask } from "./templates.ts";

/** The process that reads what strangers sent: what goes wrong in here ends in here. */
serveTasks(({ docx, variables }: TemplateTask): TemplateOutcome => {
  try {
    if (variables) return { ok: true, filled: fill(docx, variables) };
    readDocx(docx);
    return { ok: true, filled: undefined };
  } catch (error) {
    if (error instanceof DocxRefused) return { ok: false, reason: error.reason, message: error.message };
    throw error;
  }
});
