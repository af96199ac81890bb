import { PdfRefused, type RefusalReason } from "@rubrica/pdf-reading/refused";
import type { Results, Task } from "./tasks.ts";

/** What came of a task, as a process can send it to another. */
export type PdfOutcome =
  /** `isRest`: of a file that begins with the task's own bytes, the result holds what comes after them. */
  | { kind: "done"; result: unknown; isRest: boolean }
  /** `cause` is for the log. */
  | { kind: "refused"; reason: RefusalReason; cause: string };

/** What is sent of a result. A revision begins with the file it is of: megabytes take long from process to process. */
export const outcomeOf = (task: Task, result: Results[Task["kind"]]): PdfOutcome => {
  const bytes = bytesOf(result);
  if (!("bytes" in task) || bytes === undefined || !beginsWith(bytes, task.bytes)) {
    return { kind: "done", result, isRest: false };
  }
  return { kind: "done", result: withBytes(result, bytes.subarray(task.bytes.length)), isRest: true };
};

/** What a task's outcome means on this side. @throws {PdfRefused} */
export const resultOf = <Kind extends Task["kind"]>(task: Task, outcome: PdfOutcome): Results[Kind] => {
  if (outcome.kind === "refused") throw new PdfRefused(outcome.reason, { cause: new Error(outcome.cause) });
  const { result, isRest } = outcome;
  const rest = bytesOf(result);
  const isWhole = !isRest || rest === undefined || !("bytes" in task);
  return (isWhole ? result : withBytes(result, Buffer.concat([task.bytes, rest]))) as Results[Kind];
};

/** The bytes of the file that a result is, or holds. */
const bytesOf = (result: unknown): Uint8Array | undefined => {
  if (result instanceof Uint8Array) return result;
  const isHolder = typeof result === "object" && result !== null && "bytes" in result;
  return isHolder && result.bytes instanceof Uint8Array ? result.bytes : undefined;
};

const withBytes = (result: unknown, bytes: Uint8Array): unknown =>
  result instanceof Uint8Array ? bytes : { ...(result as object), bytes };

const beginsWith = (bytes: Uint8Array, start: Uint8Array): boolean =>
  bytes.length >= start.length && Buffer.compare(bytes.subarray(0, start.length), start) === 0;
