import type { EventStore, RecordedEvent } from "@rubrica/event-store";
import { DocumentRequested, type DomainEvent, SignerCorrected } from "@rubrica/events";
import { ownerOf } from "@rubrica/journal";
import { KeyDestroyedError, type KeyStore } from "@rubrica/storage";

/** What a document's end is told by. */
const ENDS = [
  "DocumentCompleted",
  "Rejected",
  "PreparationFailed",
  "DocumentWithdrawn",
] as const satisfies readonly DomainEvent["type"][];

/**
 * Has documents of releases before December 2026 be on the lines that they were given then, once. Such a line's id is what
 * its phone is looked up by; who is not on it yet, as a later signer, is told by the document's events alone. To be called
 * before anything is requested. Safe to repeat and to cut.
 */
export const adoptFormerLines = async (
  events: Pick<EventStore, "readAll">,
  { lines }: Pick<KeyStore, "lines">,
): Promise<void> => {
  if (await lines.areAdopted()) return;
  const open = new Map<string, readonly string[]>();
  for await (const requested of events.readAll(undefined, { type: DocumentRequested.type }))
    open.set(ownerOf(requested.stream), requestedLines(requested));
  for await (const corrected of events.readAll(undefined, { type: SignerCorrected.type })) {
    const owner = ownerOf(corrected.stream);
    open.set(owner, [...(open.get(owner) ?? []), ...linesIn([corrected.data.data])]);
  }
  for (const type of ENDS)
    for await (const { stream } of events.readAll(undefined, { type })) open.delete(ownerOf(stream));
  for (const [documentId, lineIds] of open)
    await Promise.all(lineIds.map((lineId) => lines.give(lineId, documentId, lineId).catch(unlessDestroyed)));
  await lines.noteAdopted();
};

const unlessDestroyed = (error: unknown): void => {
  if (!(error instanceof KeyDestroyedError)) throw error;
};

const requestedLines = ({ data }: RecordedEvent): string[] => {
  const { signers } = (data.data ?? {}) as { signers?: unknown };
  return Array.isArray(signers) ? linesIn(signers) : [];
};

/** The lines that these name; nothing of what is damaged. */
const linesIn = (named: readonly unknown[]): string[] =>
  named.flatMap((one) => {
    const { lineId } = (one ?? {}) as { lineId?: unknown };
    return typeof lineId === "string" ? [lineId] : [];
  });
