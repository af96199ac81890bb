import { parentPort } from "node:worker_threads";
import { readDocx } from "../contents/read-docx.ts";
import { DocxRefused } from "../refused.ts";
import { fill } from "./fill.ts";
import type { TemplateJob, TemplateOutcome } from "./templates.ts";

/** The thread that reads what strangers sent: what goes wrong in here ends in here. */
parentPort?.on("message", (job: TemplateJob) => parentPort?.postMessage(outcomeOf(job)));

function outcomeOf(job: TemplateJob): TemplateOutcome {
  try {
    if (job.variables) return { ok: true, docx: fill(job.docx, job.variables) };
    readDocx(job.docx);
    return { ok: true, docx: undefined };
  } catch (error) {
    if (error instanceof DocxRefused) return { ok: false, reason: error.reason, message: error.message };
    throw error;
  }
}
