import type { PhoneLineEvent, ReleaseReason } from "@rubrica/events";
import type { Fold } from "./decider.ts";

/** A signer's claim on their phone. */
export interface Claim {
  documentId: string;
  signerId: string;
}

/** Who has a phone's turn and who waits for it; remembers nobody who has left. */
export interface PhoneLine {
  /** The phone's one active document, with those of its signers who are reached at this phone. */
  holder: { documentId: string; signerIds: readonly string[] } | null;
  /** First in, first out. */
  queue: readonly Claim[];
}

const isSame = (a: Claim, b: Claim): boolean => a.documentId === b.documentId && a.signerId === b.signerId;

/** Whether the signer may be sent messages now. */
export const holdsTurn = ({ holder }: PhoneLine, { documentId, signerId }: Claim): boolean =>
  holder?.documentId === documentId && holder.signerIds.includes(signerId);

const isQueued = ({ queue }: PhoneLine, claim: Claim): boolean => queue.some((waiting) => isSame(waiting, claim));

/**
 * Claims the phone for a document: takes the turn when it is free, else the last place in line. A document never waits
 * behind itself. Nothing for a claim that is on the line already.
 */
export const claimTurn = (line: PhoneLine, { documentId, signerId }: Claim): PhoneLineEvent[] => {
  if (holdsTurn(line, { documentId, signerId }) || isQueued(line, { documentId, signerId })) return [];
  if (!line.holder || line.holder.documentId === documentId) {
    return [{ type: "TurnTaken", data: { documentId, signerId }, personal: null }];
  }
  const data = { documentId, signerId, behindDocumentId: line.holder.documentId };
  return [{ type: "TurnQueued", data, personal: null }];
};

/** The claims of the document that is first in line: they take the turn together. */
const firstInLine = ({ queue }: PhoneLine): readonly Claim[] =>
  queue.filter(({ documentId }) => documentId === queue[0]?.documentId);

/** Gives up a turn, which the next in line takes with the same append, or a place in line. Nothing when not on the line. */
export const leaveLine = (
  line: PhoneLine,
  { documentId, signerId, reason }: Claim & { reason: ReleaseReason },
): PhoneLineEvent[] => {
  const data = { documentId, signerId, reason };
  if (isQueued(line, data)) return [{ type: "TurnWithdrawn", data, personal: null }];
  if (!holdsTurn(line, data)) return [];
  const next = line.holder?.signerIds.length === 1 ? firstInLine(line) : [];
  return [
    { type: "TurnReleased", data, personal: null },
    ...next.map((claim) => ({ type: "TurnTaken", data: { ...claim }, personal: null }) as const),
  ];
};

const without = (queue: readonly Claim[], claim: Claim): readonly Claim[] => {
  const place = queue.findIndex((waiting) => isSame(waiting, claim));
  return place < 0 ? queue : queue.toSpliced(place, 1);
};

const evolve = (line: PhoneLine, { type, data }: PhoneLineEvent): PhoneLine => {
  const { documentId, signerId } = data;
  const { holder, queue } = line;
  switch (type) {
    case "TurnQueued":
      return { holder, queue: [...queue, { documentId, signerId }] };
    case "TurnWithdrawn":
      return { holder, queue: without(queue, data) };
    case "TurnTaken": {
      const others = holder?.documentId === documentId ? holder.signerIds : [];
      return { holder: { documentId, signerIds: [...others, signerId] }, queue: without(queue, data) };
    }
    case "TurnReleased": {
      const signerIds = (holder?.signerIds ?? []).filter((other) => other !== signerId);
      return { holder: signerIds.length > 0 ? { documentId, signerIds } : null, queue };
    }
    default:
      return type satisfies never;
  }
};

/** A phone's line as its stream tells it. */
export const phoneLineFold: Fold<PhoneLine, PhoneLineEvent> = { initial: { holder: null, queue: [] }, evolve };
