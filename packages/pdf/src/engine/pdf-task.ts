import { refusalOf } from "@rubrica/pdf-reading/open";
import { PdfRefused } from "@rubrica/pdf-reading/refused";
import { outcomeOf, type PdfOutcome } from "./outcome.ts";
import { run, type Task } from "./tasks.ts";

export type { PdfOutcome };

/** What a helper of the engine does. */
export type PdfTask = Task;

/** Runs a task in a helper process. @throws what is no refusal of the document. */
export const runPdfTask = async (task: Task): Promise<PdfOutcome> => {
  try {
    return outcomeOf(task, await run(task));
  } catch (error) {
    const refusal = refusalOf(error);
    if (!(refusal instanceof PdfRefused)) throw refusal;
    return {
      kind: "refused",
      reason: refusal.reason,
      cause: refusal.cause instanceof Error ? refusal.cause.message : "",
    };
  }
};
