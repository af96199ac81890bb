import { type DocumentEvent, type DomainEvent, type MessageKind, type PhoneLineEvent, sample } from "@rubrica/events";
import { now } from "@rubrica/test-kit/document-history";
import {
  type Document,
  documentAt,
  documentFold,
  evolveObligations,
  hasEnded,
  type MessageNamed,
  type Obligation,
  type ObligationsRecord,
  type PhoneLine,
  phoneLineFold,
  type Signer,
  signerOf,
} from "../../src/index.ts";
import { Judge } from "./judge.ts";

/** Thrown where a handler is cut: what it wrote stays, the rest is left undone. */
export class Cut extends Error {}

/** An obligation and its document. */
export interface Owing {
  documentId: string;
  obligation: Obligation;
}

export const HOUR_MS = 3_600_000;

const isCanceled = (document: Document): boolean =>
  document.status === "withdrawn" && document.withdrawal === "canceled";

const ENDS = new Set<string>(["DocumentCompleted", "Rejected", "DocumentWithdrawn", "PreparationFailed"]);

/** What only its time makes due. */
const TIMED = new Set<string>(["expire", "end-refusal", "end-silence", "send-reminder"]);

/** Documents, phone lines and obligations in memory, and what is judged of each event; each write may be the last. */
export class WorldState {
  readonly documents = new Map<string, Document>();
  readonly lines = new Map<string, PhoneLine>();
  readonly records = new Map<string, ObligationsRecord>();
  /** Every kind that was owed at some time. */
  readonly owedKinds = new Set<string>();
  /** How often each document ended. */
  readonly ends = new Map<string, number>();
  /** Messages that were attempted after their document's end. */
  readonly toldAfterwards: MessageKind[] = [];
  readonly judge = new Judge();
  /** Milliseconds since the UNIX epoch. */
  now = now;
  /** Messages that should not have been attempted, by the rules. */
  readonly wronglySent: MessageKind[] = [];
  /** What came of former links, and of answers to what went with them. */
  readonly strangersTook: string[] = [];
  /** Who was asked while somebody of a lower position had still to sign. */
  readonly askedTooEarly: string[] = [];
  /** The rank of each signer by their position, as it is told to people: of those without one each has a rank of their own. */
  protected readonly ranks = new Map<string, number>();
  /** Who chose to continue, and who was sent a message that asks, each by their link at the time. */
  protected readonly continued = new Set<string>();
  protected readonly reached = new Set<string>();
  /** The line to which each message went. */
  protected readonly sentTo = new Map<string, string | null>();
  protected eventCount = 0;
  protected writesLeft = Number.POSITIVE_INFINITY;

  /** The document as it is now. */
  document(id: string): Document {
    return documentAt(this.documents.get(id) ?? documentFold.initial, this.now);
  }

  /** Whether its time is over, and no event says so yet. */
  isExpiring(id: string): boolean {
    const document = this.document(id);
    return document.status === "withdrawn" && !document.takenBack.isRecorded;
  }

  /** Who is to sign before the signer is asked, and has not. */
  awaitedBefore(documentId: string, signerId: string): readonly Signer[] {
    const document = this.document(documentId);
    const rankOf = (id: string): number => this.ranks.get(`${documentId} ${id}`) ?? 0;
    const signers = document.status === "none" ? [] : document.signers;
    return signers.filter((other) => !other.signed && rankOf(other.signerId) < rankOf(signerId));
  }

  line(id: string): PhoneLine {
    return this.lines.get(id) ?? phoneLineFold.initial;
  }

  /** Everything owed, with its document; what only its time makes due, once that has come. */
  owed(): Owing[] {
    return [...this.records].flatMap(([documentId, { open }]) =>
      open
        .filter(({ kind, dueAt }) => !TIMED.has(kind) || Date.parse(dueAt) <= this.now)
        .map((obligation) => ({ documentId, obligation })),
    );
  }

  waits(hours: number): void {
    // Records are dated by the events before them, within this second.
    this.now += hours * HOUR_MS + 1_000;
  }

  /** What is against the rules though everything that is owed was met. */
  settled(): string[] {
    return this.judge.settled(this.now, (lineId, documentId, signerId) => {
      const { holder } = this.line(lineId);
      return holder?.documentId === documentId && holder.signerIds.includes(signerId);
    });
  }

  protected linkOf(documentId: string, signerId: string): string {
    return [documentId, signerId, signerOf(this.document(documentId), signerId).linkNumber].join("/");
  }

  protected onDocument(documentId: string, events: readonly DocumentEvent[]): void {
    if (events.length === 0) return;
    const dated = events.map((event) => ({ ...event, metadata: { at: new Date(this.now).toISOString() } }));
    const before = this.documents.get(documentId) ?? documentFold.initial;
    this.#note(documentId, hasEnded(this.document(documentId)), events);
    this.documents.set(documentId, dated.reduce(documentFold.evolve, before));
    this.recorded("document", documentId, events, () => documentId);
  }

  #note(documentId: string, isOver: boolean, events: readonly DocumentEvent[]): void {
    for (const event of events) {
      if (event.type === "SignerTurnCame" && event.data.lineId !== null)
        this.#judgeTurn(documentId, event.data.signerId);
      this.judge.saw(documentId, event, this.now);
      if (ENDS.has(event.type)) this.ends.set(documentId, (this.ends.get(documentId) ?? 0) + 1);
      if (event.type === "SignerTurnCame" && this.awaitedBefore(documentId, event.data.signerId).length > 0)
        this.askedTooEarly.push(event.data.signerId);
      if (event.type !== "MessageAttempted") continue;
      if (isOver) this.toldAfterwards.push(event.data.kind);
      if (!this.#mayBeSent(documentId, event.data)) this.wronglySent.push(event.data.kind);
    }
  }

  /** Whoever's turn comes has the phone on which they are asked. */
  #judgeTurn(documentId: string, signerId: string): void {
    const { lineId } = signerOf(this.document(documentId), signerId);
    const { holder } = this.line(lineId ?? "");
    const holds = holder?.documentId === documentId && holder.signerIds.includes(signerId);
    if (!holds) this.judge.wrong("asked without the phone");
  }

  /** By the rules alone, as they are told to people, and not by what deciders and obligations share. */
  #mayBeSent(documentId: string, { signerId, kind, messageId }: MessageNamed): boolean {
    const document = this.document(documentId);
    const { signed, wantsLink, messages, reminderDueAt } = signerOf(document, signerId);
    if (messages[messageId]?.isFormer) return false;
    const link = this.linkOf(documentId, signerId);
    if (kind === "copy") return document.status === "completed" && this.reached.has(link);
    if (kind === "cancellation") return isCanceled(document) && this.reached.has(link);
    if (kind === "link" && !this.continued.has(link)) return false;
    const hasRefused = this.judge.hasRefused(documentId, signerId);
    if (kind === "reminder") return !signed && !hasRefused && this.now >= Date.parse(reminderDueAt ?? "");
    return !signed && (kind !== "link" || wantsLink) && (kind !== "refusal" || hasRefused);
  }

  protected onLine(lineId: string, events: readonly PhoneLineEvent[]): void {
    if (events.length === 0) return;
    for (const event of events) this.judge.sawLine(lineId, event, this.now);
    this.lines.set(lineId, events.reduce(phoneLineFold.evolve, this.line(lineId)));
    this.recorded("phoneLine", lineId, events, ({ data }) => data.documentId);
  }

  protected recorded<Event extends DomainEvent>(
    streamKind: "document" | "phoneLine" | "account" | "delivery",
    streamId: string,
    events: readonly Event[],
    recordIdOf: (event: Event) => string,
  ): void {
    for (const event of events) {
      const id = `e${++this.eventCount}`;
      const metadata = { at: new Date(this.now + this.eventCount).toISOString(), accountId: sample.accountId };
      const recordId = recordIdOf(event);
      const before = this.records.get(recordId) ?? null;
      const record = evolveObligations(before, { ...(event as DomainEvent), id, streamKind, streamId, metadata });
      if (!record) continue;
      this.records.set(recordId, record);
      for (const { kind } of record.open) this.owedKinds.add(kind);
    }
    this.writesLeft -= 1;
    if (this.writesLeft <= 0) throw new Cut();
  }
}
