import { joined, type Updated } from "@rubrica/pdf-reading/bytes";
import { PdfRefused, type RefusalReason } from "@rubrica/pdf-reading/refused";
import type { Made } from "../sealing/tasks.ts";
import type { Results, Task } from "./tasks.ts";

/** What came of a task, as a process can send it to another. */
export type PdfOutcome =
  /** `isRest`: of a file that begins with the task's own bytes, the result holds what comes after them. */
  | { kind: "done"; result: unknown; isRest: boolean }
  /** `cause` is for the log. */
  | { kind: "refused"; reason: RefusalReason; cause: string };

/** What is sent of a result. A revision begins with the file it is of: megabytes take long from process to process. */
export const outcomeOf = (task: Task, result: Made<Results[Task["kind"]]>): PdfOutcome => {
  const file = fileOf(result);
  if (!("bytes" in task) || file === undefined) return { kind: "done", result, isRest: false };
  const rest = restOf(file, task.bytes);
  if (rest !== undefined) return { kind: "done", result: withBytes(result, rest), isRest: true };
  return { kind: "done", result: file instanceof Uint8Array ? result : withBytes(result, joined(file)), isRest: false };
};

/** What a task's outcome means on this side. @throws {PdfRefused} */
export const resultOf = <Kind extends Task["kind"]>(task: Task, outcome: PdfOutcome): Results[Kind] => {
  if (outcome.kind === "refused") throw new PdfRefused(outcome.reason, { cause: new Error(outcome.cause) });
  const { result, isRest } = outcome;
  const rest = fileOf(result);
  const isWhole = !isRest || !(rest instanceof Uint8Array) || !("bytes" in task);
  return (isWhole ? result : withBytes(result, Buffer.concat([task.bytes, rest]))) as Results[Kind];
};

/** The file that a result is, or holds. */
const fileOf = (result: unknown): Uint8Array | Updated | undefined => {
  if (result instanceof Uint8Array) return result;
  const { bytes } = (result ?? {}) as { bytes?: Uint8Array | Updated | null };
  return bytes ?? undefined;
};

/** What comes after the task's own bytes in a file that begins with them. */
const restOf = (file: Uint8Array | Updated, start: Uint8Array): Uint8Array | undefined => {
  if (file instanceof Uint8Array) return beginsWith(file, start) ? file.subarray(start.length) : undefined;
  return isSame(file.base, start) ? file.added : undefined;
};

/** Whether two stand for the same memory. */
const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.buffer === other.buffer && one.byteOffset === other.byteOffset && one.length === other.length;

const withBytes = (result: unknown, bytes: Uint8Array): unknown =>
  result instanceof Uint8Array ? bytes : { ...(result as object), bytes };

const beginsWith = (bytes: Uint8Array, start: Uint8Array): boolean =>
  bytes.length >= start.length && Buffer.compare(bytes.subarray(0, start.length), start) === 0;
