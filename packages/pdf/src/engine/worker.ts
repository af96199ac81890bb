import { parentPort } from "node:worker_threads";
import { PdfRefused, type RefusalReason } from "../port.ts";
import { refusalOf } from "../reading/open.ts";
import { run, type Task } from "./tasks.ts";

/** What a worker answers. */
export type Answer =
  | { kind: "ready" }
  | { kind: "done"; result: unknown }
  | { kind: "refused"; reason: RefusalReason; cause: string }
  | { kind: "failed"; message: string };

const port = parentPort;
if (port === null) throw new Error("this runs as a worker only");

// What a library has to say about somebody's document belongs to no log.
for (const method of ["log", "warn", "error", "info"] as const) console[method] = () => undefined;

port.on("message", async (task: Task) => {
  try {
    const result = await run(task);
    port.postMessage({ kind: "done", result } satisfies Answer, buffersOf(result));
  } catch (error) {
    port.postMessage(answerTo(refusalOf(error)));
  }
});

function answerTo(error: unknown): Answer {
  if (!(error instanceof PdfRefused))
    return { kind: "failed", message: error instanceof Error ? (error.stack ?? error.message) : "unknown" };
  return { kind: "refused", reason: error.reason, cause: error.cause instanceof Error ? error.cause.message : "" };
}

/** Bytes are handed over, not copied. */
function buffersOf(result: unknown): ArrayBuffer[] {
  const bytes = result instanceof Uint8Array ? result : (result as { bytes?: unknown }).bytes;
  return bytes instanceof Uint8Array &&
    bytes.buffer instanceof ArrayBuffer &&
    bytes.byteLength === bytes.buffer.byteLength
    ? [bytes.buffer]
    : [];
}

port.postMessage({ kind: "ready" } satisfies Answer);
