import { PdfRefused, type RefusalReason } from "../port.ts";
import { refusalOf } from "../reading/open.ts";
import { type Results, run, type Task } from "./tasks.ts";

/** What a helper of the engine does. */
export type PdfTask = Task;

/** What came of a task, as a process can send it to another. `cause` is for the log. */
export type PdfOutcome = { kind: "done"; result: unknown } | { kind: "refused"; reason: RefusalReason; cause: string };

/** Runs a task in a helper process. @throws what is no refusal of the document. */
export async function runPdfTask(task: Task): Promise<PdfOutcome> {
  try {
    return { kind: "done", result: await run(task) };
  } catch (error) {
    const refusal = refusalOf(error);
    if (!(refusal instanceof PdfRefused)) throw refusal;
    return {
      kind: "refused",
      reason: refusal.reason,
      cause: refusal.cause instanceof Error ? refusal.cause.message : "",
    };
  }
}

/** What a task's outcome means on this side. @throws {PdfRefused} */
export function resultOf<Kind extends Task["kind"]>(outcome: PdfOutcome): Results[Kind] {
  if (outcome.kind === "refused") throw new PdfRefused(outcome.reason, { cause: new Error(outcome.cause) });
  return outcome.result as Results[Kind];
}
