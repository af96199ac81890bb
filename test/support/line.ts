import type { Handlers } from "@rubrica/commands";
import { signerOf } from "@rubrica/domain";
import type { JournalEvent } from "@rubrica/journal";
import { eventually } from "@rubrica/test-kit";

/** What a phone line's events tell, taken from each event alone and not from the fold that decided them. */
export interface LineHistory {
  /** Documents in the order in which they came to the line. */
  came: string[];
  /** Documents in the order in which they got the turn. */
  taken: string[];
  /** Documents that left the line before they got the turn. */
  withdrawn: string[];
  /** The most documents that had the turn at once. */
  mostActive: number;
}

export const lineHistory = (events: readonly JournalEvent[]): LineHistory => {
  const history: LineHistory = { came: [], taken: [], withdrawn: [], mostActive: 0 };
  const active = new Set<string>();
  for (const { type, data } of events) {
    if (type === "TurnReleased") active.delete(data.documentId);
    if (type === "TurnWithdrawn") history.withdrawn.push(data.documentId);
    if (type === "TurnQueued") history.came.push(data.documentId);
    if (type !== "TurnTaken") continue;
    if (!history.came.includes(data.documentId)) history.came.push(data.documentId);
    history.taken.push(data.documentId);
    active.add(data.documentId);
    history.mostActive = Math.max(history.mostActive, active.size);
  }
  return history;
};

/**
 * Signs for whoever has a line's turn, until nobody is left; each time the one whose turn it is must have been sent a
 * message. Ends before where `sign` says that it can't.
 */
export const signAlong = async (
  { documents, lines }: Handlers,
  lineId: string,
  sign: (documentId: string) => Promise<boolean>,
): Promise<void> => {
  for (;;) {
    const { holder } = await lines.load(lineId);
    if (!holder) return;
    const { documentId, signerIds } = holder;
    await eventually("the one whose turn it is to be asked", async () => {
      const { messages } = signerOf(await documents.load(documentId), signerIds[0] ?? "");
      return Object.values(messages).some(({ state }) => state === "sent");
    });
    if (!(await sign(documentId))) return;
    await eventually("the turn to pass on", async () => (await lines.load(lineId)).holder?.documentId !== documentId);
  }
};
