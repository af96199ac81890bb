import { EventStoreFailedError } from "@rubrica/event-store";
import type { TreeHead } from "@rubrica/events";
import { seededRandom } from "@rubrica/runtime/testing";
import { ExportError } from "../../src/audit-export.ts";
import { AuditError, type LoggedEvent, verifiedLog } from "../../src/audit-verify.ts";
import type { Pick } from "./edits.ts";

/** What names a fault: each kind of tampering has to come to one of these. */
const NAMED =
  /cut off|stands twice|once more|does not hold|is broken at|earlier than|is no event|no position|another id|a key twice|a field that|over \d+ events|is empty|after the export's end|do not hold|beside what its hash covers|is not whole|no events|the file .* can't be used|not an event store|newer version|none of the service's/i;

/** What is said of a log by who has the head; null when it is said to hold. */
export const said = async (log: () => AsyncIterable<LoggedEvent>, head: TreeHead): Promise<string | null> => {
  const heads = { expected: [], newest: null, faults: [], lost: [], losses: 0, signedByUnknown: 0 };
  try {
    await verifiedLog(log(), { heads, kept: [{ ...head, from: "that was kept" }], known: null, leaves: null });
    return null;
  } catch (error) {
    if (error instanceof AuditError || error instanceof ExportError || error instanceof EventStoreFailedError)
      return error.message;
    throw error;
  }
};

/** Whether nothing was said, or nothing that names the fault. */
export const unnamed = (fault: string | null): boolean => fault === null || !NAMED.test(fault);

/** The choices of one tampering. */
export const pickFrom = (seed: number, number: number): Pick => {
  const random = seededRandom(seed * 100_000 + number);
  return (below) => Math.floor(random.fraction() * below);
};
