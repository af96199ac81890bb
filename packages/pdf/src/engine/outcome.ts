import { PdfRefused, type RefusalReason } from "@rubrica/pdf-reading/refused";
import type { Results, Task } from "./tasks.ts";

/** What came of a task, as a process can send it to another. `cause` is for the log. */
export type PdfOutcome = { kind: "done"; result: unknown } | { kind: "refused"; reason: RefusalReason; cause: string };

/** What a task's outcome means on this side. @throws {PdfRefused} */
export const resultOf = <Kind extends Task["kind"]>(outcome: PdfOutcome): Results[Kind] => {
  if (outcome.kind === "refused") throw new PdfRefused(outcome.reason, { cause: new Error(outcome.cause) });
  return outcome.result as Results[Kind];
};
