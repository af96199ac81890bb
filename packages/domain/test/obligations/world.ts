import {
  type DeliveryEvent,
  type DocumentEvent,
  type DomainEvent,
  type MessageKind,
  type PhoneLineEvent,
  sample,
  type WebhookType,
} from "@rubrica/events";
import {
  augmented,
  bulkRow,
  now,
  origin,
  requestCommand,
  requester,
  seal,
  signing,
} from "@rubrica/test-kit/document-history";
import {
  attemptMessage,
  augmentationDue,
  cancelDocument,
  canSign,
  changeExpiry,
  claimTurn,
  correctSigner,
  type Document,
  DomainError,
  documentAt,
  documentFold,
  eraseDocument,
  evolveObligations,
  expireDocument,
  type Finding,
  failPreparation,
  giveTurn,
  hasEnded,
  holdsTurn,
  identityCheckOf,
  isTurnToBeClaimed,
  leaveLine,
  type Media,
  type MessageNamed,
  type Obligation,
  type ObligationsRecord,
  openPage,
  type PhoneLine,
  type PhotoKind,
  phoneLineFold,
  prepareDocument,
  queueSigner,
  recordAugmentationFailed,
  recordAugmented,
  recordEvidence,
  recordEvidenceFailure,
  recordForgotten,
  recordIdentityFailure,
  recordIdentityFindings,
  recordMessageFailed,
  recordMessageSent,
  recordNotice,
  recordReport,
  recordSealed,
  reject,
  releaseReason,
  requestDocument,
  requestResend,
  type Signer,
  scheduleReminder,
  sign,
  signerOf,
  uploadPhoto,
} from "../../src/index.ts";
import { Judge, REFUSAL_HOURS, REMINDERS, SILENCE_HOURS } from "./judge.ts";

/** Thrown where a handler is cut: what it wrote stays, the rest is left undone. */
export class Cut extends Error {}

/** An obligation and its document. */
export interface Owing {
  documentId: string;
  obligation: Obligation;
}

/** How the outside behaves while an obligation is met. */
export interface Weather {
  /** Cut after so many writes; none: not cut. */
  cutAfter: number | null;
  /** What the messaging provider does. */
  provider: "takes" | "fails" | "refuses";
}
/** By the messaging app first, then by text message; nobody gave an e-mail address. */
export const MEDIA: Media = ["wpp", "sms", "email"];
export const fair: Weather = { cutAfter: null, provider: "takes" };

const erasure = { cause: "requested" as const, customIdHmac: () => sample.sha256 };

const HOUR_MS = 3_600_000;

const isCanceled = (document: Document): boolean =>
  document.status === "withdrawn" && document.withdrawal.reason === "canceled";

const ENDS = new Set<string>(["DocumentCompleted", "Rejected", "DocumentWithdrawn", "PreparationFailed"]);

const EVERY_KIND: readonly WebhookType[] = [
  "alert",
  "report",
  "msg",
  "rejection",
  "canceled",
  "expired",
  "no_continue",
  "signer_signed",
  "page_opened",
];

/** What only its time makes due. */
const TIMED = new Set<string>(["expire", "end-refusal", "end-silence", "send-reminder"]);

/** Documents, phone lines and obligations in memory, with handlers as the service's: each write may be the last. */
export class World {
  readonly documents = new Map<string, Document>();
  readonly lines = new Map<string, PhoneLine>();
  readonly records = new Map<string, ObligationsRecord>();
  /** Every obligation that was met, or begun to be. */
  readonly published: Owing[] = [];
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
  readonly #ranks = new Map<string, number>();
  /** Who chose to continue, and who was sent a message that asks, each by their link at the time. */
  readonly #continued = new Set<string>();
  readonly #reached = new Set<string>();
  /** The line to which each message went. */
  readonly #sentTo = new Map<string, string | null>();
  /** The webhooks that were taken. */
  readonly #told = new Set<string>();
  #events = 0;
  #uploads = 0;
  #writesLeft = Number.POSITIVE_INFINITY;

  /** The document as it is now. */
  document(id: string): Document {
    return documentAt(this.documents.get(id) ?? documentFold.initial, this.now);
  }

  /** Whether its time is over, and no event says so yet. */
  isExpiring(id: string): boolean {
    const document = this.document(id);
    return document.status === "withdrawn" && !document.withdrawal.isRecorded;
  }

  /** Who is to sign before the signer is asked, and has not. */
  awaitedBefore(documentId: string, signerId: string): readonly Signer[] {
    const document = this.document(documentId);
    const rankOf = (id: string): number => this.#ranks.get(`${documentId} ${id}`) ?? 0;
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

  /**
   * Requests a document; with `photos`, those of its signers are validated; in bulk, its PDF is still to be made; for a
   * time, it is to be erased after its end.
   */
  request(
    documentId: string,
    signers: readonly { signerId: string; lineId: string; position: string | null }[],
    {
      photos,
      bulk,
      forTime,
      expiresAt,
    }: { photos: boolean; bulk: boolean; forTime: boolean; expiresAt: string | null },
  ): void {
    const [model] = requestCommand().signers;
    if (!model) throw new Error("a signer is needed");
    const people = signers.map((signer) => ({ ...model, ...signer }));
    for (const [index, { signerId, position }] of signers.entries())
      this.#ranks.set(`${documentId} ${signerId}`, position === null ? 100 + index : Number(position));
    const row = bulk ? { channel: "bulk" as const, file: null, pageCount: null, bulk: bulkRow } : {};
    const campaign = {
      campaignId: 1,
      messageText: null,
      requestPhotos: null,
      validatePhotos: null,
      retentionDays: null,
    };
    const command = requestCommand({
      campaign: {
        ...campaign,
        refusalHours: REFUSAL_HOURS,
        silenceHours: photos ? SILENCE_HOURS : null,
        reminders: bulk ? null : REMINDERS,
      },
      documentId,
      requestPhotos: photos,
      signers: people,
      retentionDays: forTime ? 1 : null,
      expiresAt,
      webhook: { url: "https://receiver.example/hooks", headers: {} },
      account: {
        accountId: sample.accountId,
        plan: "pro",
        businessName: null,
        webhookEvents: photos ? EVERY_KIND : null,
      },
      ...row,
    });
    this.#onDocument(documentId, requestDocument(this.document(documentId), command));
  }

  /** Takes a photo, for the first time or anew. */
  uploads(documentId: string, signerId: string, kind: PhotoKind): void {
    const document = this.document(documentId);
    if (document.status !== "pending" || !document.requestPhotos || signerOf(document, signerId).signed) return;
    const file = { ...sample.jpeg, sha256: (++this.#uploads).toString(16).padStart(64, "0") };
    if (signerOf(document, signerId).photos[kind].length === 10) return;
    const { linkNumber } = signerOf(document, signerId);
    this.#onDocument(documentId, uploadPhoto(document, { signerId, linkNumber, kind, file, origin }));
  }

  signs(documentId: string, signerId: string): void {
    if (!canSign(this.document(documentId), signerId)) return;
    const { linkNumber } = signerOf(this.document(documentId), signerId);
    this.#onDocument(documentId, sign(this.document(documentId), { ...signing(signerId), linkNumber }));
  }

  rejects(documentId: string, signerId: string): void {
    const document = this.document(documentId);
    if (document.status !== "pending" || signerOf(document, signerId).signed) return;
    const { linkNumber } = signerOf(document, signerId);
    this.#onDocument(documentId, reject(document, { signerId, linkNumber, reason: "no", origin }));
  }

  /** The operator erases the document, whatever state it is in. */
  erases(documentId: string): void {
    this.#onDocument(documentId, eraseDocument(this.document(documentId), erasure));
  }

  /** Its requester has it end at another time. */
  changesExpiry(documentId: string, hours: number): void {
    const expiresAt = new Date(this.now + hours * HOUR_MS).toISOString();
    this.#tries(documentId, (document) => changeExpiry(document, { expiresAt, by: requester }));
  }

  /** Does what the document's requester asks for, unless it is refused; the same once more, as after a lost answer, is nothing. */
  #tries(documentId: string, decide: (document: Document) => DocumentEvent[]): void {
    let decided: DocumentEvent[];
    try {
      decided = decide(this.document(documentId));
    } catch (error) {
      if (error instanceof DomainError) return;
      throw error;
    }
    this.#onDocument(documentId, decided);
    if (decide(this.document(documentId)).length > 0) this.judge.wrong("the same again was something");
  }

  waits(hours: number): void {
    // Records are dated by the events before them, within this second.
    this.now += hours * HOUR_MS + 1_000;
  }

  /** Its requester cancels the document. */
  cancels(documentId: string): void {
    this.#tries(documentId, (document) => cancelDocument(document, { by: requester, text: null }));
  }

  /** Opens the page. */
  opens(documentId: string, signerId: string): void {
    const { linkNumber } = signerOf(this.document(documentId), signerId);
    this.#onDocument(documentId, openPage(this.document(documentId), { signerId, linkNumber, origin }));
  }

  /**
   * Its requester gives the signer another phone, on that line, where they had no part in it yet. `isClaimed`: another
   * process claims their phone meanwhile, by what it knew before.
   */
  corrects(documentId: string, signerId: string, lineId: string, isClaimed: boolean): void {
    const claim = isClaimed && isTurnToBeClaimed(this.document(documentId), signerId);
    const { lineId: formerLineId, linkNumber } = signerOf(this.document(documentId), signerId);
    const phone = `5491${this.#events.toString().padStart(9, "0")}`;
    const command = { signerId, correctionId: `c${this.#events}`, person: { phone }, lineId, by: requester };
    this.#tries(documentId, (document) => correctSigner(document, command));
    if (!claim || formerLineId === null) return;
    this.#onLine(formerLineId, claimTurn(this.line(formerLineId), { documentId, signerId }));
    const behindDocumentId = this.line(formerLineId).holder?.documentId ?? "";
    const claimed = { signerId, linkNumber, behindDocumentId };
    const holds = holdsTurn(this.line(formerLineId), { documentId, signerId });
    const document = this.document(documentId);
    this.#onDocument(documentId, holds ? giveTurn(document, claimed) : queueSigner(document, claimed));
  }

  /** Whoever has a former link of the signer's tries it: nothing must come of it. */
  usesFormerLink(documentId: string, signerId: string): void {
    const document = this.document(documentId);
    const { linkNumber } = signerOf(document, signerId);
    if (linkNumber === 0) return;
    const acting = { signerId, linkNumber: linkNumber - 1, origin };
    const tries = [
      () => openPage(document, acting),
      () => sign(document, { ...signing(signerId), ...acting }),
      () => reject(document, { ...acting, reason: "no" }),
      () => uploadPhoto(document, { ...acting, kind: "selfie", file: sample.jpeg }),
    ];
    for (const attempt of tries) {
      let decided: readonly DocumentEvent[] | string = "";
      try {
        decided = attempt();
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        decided = error.code;
      }
      if (decided !== "link_replaced") this.strangersTook.push(String(decided));
    }
  }

  /** Its requester has all be sent anew to the signer, where there is something to send. */
  resends(documentId: string, signerId: string): void {
    const resendId = `r${this.#events}`;
    const command = { signerId, resendId, by: requester, now: this.now };
    this.#tries(documentId, (document) => requestResend(document, command));
  }

  /** They do so again and again, as soon as they may. */
  insists(documentId: string, signerId: string): void {
    for (let times = 0; times < 12; times++) {
      this.resends(documentId, signerId);
      if (isTurnToBeClaimed(this.document(documentId), signerId)) this.#claim(documentId, signerId);
      this.waits(0.2);
    }
  }

  /** The provider tells that every message reached the signer's phone. */
  delivers(documentId: string, signerId: string): void {
    for (const { providerMessageIds } of Object.values(signerOf(this.document(documentId), signerId).messages)) {
      const [providerMessageId] = providerMessageIds;
      if (!providerMessageId) continue;
      const notice = { providerMessageId, medium: "wpp", notice: "delivered" } as const;
      this.#onDocument(documentId, recordNotice(this.document(documentId), notice));
    }
  }

  /** What is against the rules though everything that is owed was met. */
  settled(): string[] {
    return this.judge.settled(this.now, (lineId, documentId, signerId) => {
      const { holder } = this.line(lineId);
      return holder?.documentId === documentId && holder.signerIds.includes(signerId);
    });
  }

  /** Answers every template that the signer was sent. */
  answers(documentId: string, signerId: string, answer: "continue" | "no_continue" = "continue"): void {
    for (const { providerMessageIds } of Object.values(signerOf(this.document(documentId), signerId).messages)) {
      const [providerMessageId] = providerMessageIds;
      if (!providerMessageId) continue;
      const notice = {
        providerMessageId,
        medium: "wpp",
        notice: "answered",
        answer,
        at: sample.at,
      } as const;
      const before = this.document(documentId);
      const { lineId, linkNumber } = signerOf(before, signerId);
      const events = recordNotice(before, notice);
      const isStrangers = this.#sentTo.get(providerMessageId) !== `${lineId}/${linkNumber}`;
      if (isStrangers && events.length > 0) this.strangersTook.push(answer);
      if (!isStrangers && answer === "continue") this.#continued.add(this.#linkOf(documentId, signerId));
      this.#onDocument(documentId, events);
    }
  }

  /** Meets an obligation that was met before, or is another one meanwhile, as a bus may give it once more. */
  repeat(owing: Owing, weather: Weather): void {
    try {
      this.meet(owing, weather);
    } catch (error) {
      // The bus gives it again, until its time has come or it is of no use.
      if (!(error instanceof DomainError && error.code === "message_not_due")) throw error;
    }
  }

  /** Meets an obligation, or begins to. */
  meet({ documentId, obligation }: Owing, weather: Weather): void {
    this.published.push({ documentId, obligation });
    this.#writesLeft = weather.cutAfter ?? Number.POSITIVE_INFINITY;
    try {
      this.#handle(documentId, obligation, weather);
    } catch (error) {
      if (!(error instanceof Cut)) throw error;
    } finally {
      this.#writesLeft = Number.POSITIVE_INFINITY;
    }
  }

  #handle(documentId: string, obligation: Obligation, weather: Weather): void {
    const { id, kind, signerId } = obligation;
    const document = this.document(documentId);
    if (kind === "webhook") this.#callBack(documentId, obligation, weather);
    else if (kind === "claim-turn") this.#claim(documentId, signerId ?? "");
    else if (kind === "announce-turn") this.#announce(documentId, signerId ?? "");
    else if (kind === "leave-line") this.#leave(documentId, signerId ?? "");
    else if (kind === "release-turn" || kind === "end-refusal" || kind === "end-silence")
      this.#release(documentId, signerId ?? "");
    else if (kind === "send-template") this.#send(documentId, signerId ?? "", "template", id, weather);
    else if (kind === "send-link") this.#send(documentId, signerId ?? "", "link", id, weather);
    else if (kind === "send-copy") this.#send(documentId, signerId ?? "", "copy", id, weather);
    else if (kind === "send-reminder") this.#send(documentId, signerId ?? "", "reminder", id, weather);
    else if (kind === "schedule-reminder") {
      const command = { signerId: signerId ?? "", timeZone: "America/Montevideo", now: this.now };
      this.#onDocument(documentId, scheduleReminder(document, command));
    } else if (kind === "send-refusal") this.#send(documentId, signerId ?? "", "refusal", id, weather);
    else if (kind === "send-cancellation") this.#send(documentId, signerId ?? "", "cancellation", id, weather);
    else if (kind === "check-identity") this.#check(documentId, signerId ?? "", weather);
    else if (kind === "fetch-evidence") this.#fetch(documentId, weather);
    else if (kind === "seal") this.#seal(documentId, weather);
    else if (kind === "complete-seal" || kind === "renew-timestamp") this.#augment(documentId, weather);
    else if (kind === "report") this.#onDocument(documentId, recordReport(document, { sizeBytes: 1 }));
    else if (kind === "prepare") this.#prepare(documentId, weather);
    else if (kind === "refund") this.#refund(documentId);
    else if (kind === "expire") this.#onDocument(documentId, expireDocument(document));
    else if (kind === "erase") this.erases(documentId);
    else if (kind === "forget") this.#onDocument(documentId, recordForgotten(document));
    else throw new Error(`nobody owes ${kind} here`);
  }

  /** The receiver takes it, or is to be told again at once. */
  #callBack(documentId: string, { id: webhookId, webhookType }: Obligation, { provider }: Weather): void {
    if (webhookType === null || this.#told.has(webhookId)) return;
    const of = { webhookId, documentId, webhookType, attempt: 1 };
    const isTaken = provider === "takes";
    if (isTaken) {
      this.#told.add(webhookId);
      this.judge.told(documentId, webhookType);
    }
    const failure = { ...of, reason: "status", status: 503, durationMs: 1, nextAttemptAt: sample.at };
    const outcome: DeliveryEvent = isTaken
      ? { type: "WebhookDelivered", data: { ...of, status: 200, durationMs: 1 }, personal: null }
      : { type: "WebhookAttemptFailed", data: failure, personal: null };
    this.#recorded("delivery", documentId, [outcome], () => documentId);
  }

  #claim(documentId: string, signerId: string): void {
    const { lineId, linkNumber, turn } = signerOf(this.document(documentId), signerId);
    if (turn === "came") return;
    if (lineId === null) throw new Error("nothing is claimed without messages");
    this.#onLine(lineId, claimTurn(this.line(lineId), { documentId, signerId }));
    const line = this.line(lineId);
    const document = this.document(documentId);
    const behindDocumentId = line.holder?.documentId ?? "";
    const holds = holdsTurn(line, { documentId, signerId });
    this.#onDocument(
      documentId,
      holds
        ? giveTurn(document, { signerId, linkNumber })
        : queueSigner(document, { signerId, linkNumber, behindDocumentId }),
    );
  }

  #announce(documentId: string, signerId: string): void {
    const { lineId, linkNumber } = signerOf(this.document(documentId), signerId);
    if (!holdsTurn(this.line(lineId ?? ""), { documentId, signerId })) return;
    this.#onDocument(documentId, giveTurn(this.document(documentId), { signerId, linkNumber }));
  }

  #leave(documentId: string, signerId: string): void {
    for (const lineId of signerOf(this.document(documentId), signerId).formerLineIds) {
      this.#onLine(lineId, leaveLine(this.line(lineId), { documentId, signerId, reason: "corrected" }));
    }
  }

  #release(documentId: string, signerId: string): void {
    const reason = releaseReason(this.document(documentId), signerId);
    const { lineId } = signerOf(this.document(documentId), signerId);
    // A repeated one's reason may be gone: they are asked anew.
    if (!reason || lineId === null) return;
    this.#onLine(lineId, leaveLine(this.line(lineId), { documentId, signerId, reason }));
  }

  #send(documentId: string, signerId: string, kind: MessageKind, messageId: string, weather: Weather): void {
    const named = { signerId, kind, messageId };
    const before = signerOf(this.document(documentId), signerId).messages[messageId]?.attempts ?? 0;
    const attempt = attemptMessage(this.document(documentId), {
      ...named,
      attempt: before + 1,
      media: MEDIA,
      providerBy: () => sample.provider,
      timeZone: "America/Montevideo",
      now: this.now,
    });
    this.#onDocument(documentId, attempt);
    if (attempt[0]?.type !== "MessageAttempted") return;
    const permanent = weather.provider === "refuses";
    const failure = { ...named, reason: "unreachable", permanent, media: MEDIA, now, jitter: 0 };
    const { lineId, linkNumber } = signerOf(this.document(documentId), signerId);
    this.#sentTo.set(`p${this.#events}`, `${lineId}/${linkNumber}`);
    const outcome =
      weather.provider === "takes"
        ? recordMessageSent(this.document(documentId), { ...named, providerMessageId: `p${this.#events}` })
        : recordMessageFailed(this.document(documentId), failure);
    if (weather.provider === "takes" && (kind === "template" || kind === "link")) {
      this.#reached.add(this.#linkOf(documentId, signerId));
    }
    this.#onDocument(documentId, outcome);
  }

  #linkOf(documentId: string, signerId: string): string {
    return [documentId, signerId, signerOf(this.document(documentId), signerId).linkNumber].join("/");
  }

  #prepare(documentId: string, { provider }: Weather): void {
    const document = this.document(documentId);
    if (provider === "fails") return;
    this.#onDocument(
      documentId,
      provider === "refuses"
        ? failPreparation(document, { reason: "unreadable", attempts: 1 })
        : prepareDocument(document, { file: sample.pdf, pageCount: 1 }),
    );
  }

  #refund(documentId: string): void {
    const refund = { type: "CreditsRefunded" as const, data: { documentId, amount: 1, balance: 1 }, personal: null };
    this.#recorded("account", sample.accountId, [refund], () => documentId);
  }

  #check(documentId: string, signerId: string, { provider }: Weather): void {
    const document = this.document(documentId);
    const photos = identityCheckOf(document, signerId);
    if (!photos) return;
    const { selfie, idFront, idBack } = photos;
    const attempts = { selfie: selfie.attempt, idFront: idFront.attempt, idBack: idBack.attempt };
    if (provider === "fails") {
      const attempt = signerOf(document, signerId).identityFailures + 1;
      const failure = {
        signerId,
        provider: sample.provider,
        attempts,
        attempt,
        reason: "timeout",
        permanent: false,
        now,
        jitter: 0,
      };
      this.#onDocument(documentId, recordIdentityFailure(document, failure));
      return;
    }
    const good: Finding = { result: "approved", reason: null };
    const rejection = provider === "refuses" ? "face_mismatch" : null;
    const found = { photos: { selfie: good, idFront: good, idBack: good }, mrz: good, documentError: null, rejection };
    this.#onDocument(
      documentId,
      recordIdentityFindings(document, { provider: sample.provider, signerId, attempts, ...found }),
    );
  }

  #fetch(documentId: string, { provider }: Weather): void {
    const document = this.document(documentId);
    const attempt = "evidenceFailures" in document ? document.evidenceFailures + 1 : 1;
    const failure = { attempt, reason: "timeout", now, jitter: 0 };
    this.#onDocument(
      documentId,
      provider === "fails"
        ? recordEvidenceFailure(document, failure)
        : recordEvidence(document, { provider: sample.provider, files: [] }),
    );
  }

  #seal(documentId: string, { provider }: Weather): void {
    const command = { ...seal, toComplete: provider !== "takes" };
    this.#onDocument(documentId, recordSealed(this.document(documentId), command));
  }

  /** Completes a seal; its timestamps are never renewed in this world, which would have no end. */
  #augment(documentId: string, { provider }: Weather): void {
    const document = this.document(documentId);
    const due = augmentationDue(document, Number.POSITIVE_INFINITY);
    if (due === null) return;
    const { kind, seal: current } = due;
    const failure = { kind, attempt: current.failures + 1, reason: "timestamp_unavailable", now, jitter: 0 };
    this.#onDocument(
      documentId,
      kind === "renew" || provider !== "takes"
        ? recordAugmentationFailed(document, { ...failure, isFinal: kind === "renew" })
        : recordAugmented(document, { ...augmented(kind), from: current.file.sha256 }),
    );
  }

  #onDocument(documentId: string, events: readonly DocumentEvent[]): void {
    if (events.length === 0) return;
    const dated = events.map((event) => ({ ...event, metadata: { at: new Date(this.now).toISOString() } }));
    const before = this.documents.get(documentId) ?? documentFold.initial;
    this.#note(documentId, hasEnded(this.document(documentId)), events);
    this.documents.set(documentId, dated.reduce(documentFold.evolve, before));
    this.#recorded("document", documentId, events, () => documentId);
  }

  #note(documentId: string, isOver: boolean, events: readonly DocumentEvent[]): void {
    for (const event of events) {
      if (event.type === "SignerTurnCame") this.#judgeTurn(documentId, event.data.signerId);
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
    const { signed, answers, messages, nextReminder } = signerOf(document, signerId);
    if (messages[messageId]?.isFormer) return false;
    const link = this.#linkOf(documentId, signerId);
    if (kind === "copy") return document.status === "completed" && this.#reached.has(link);
    if (kind === "cancellation") return isCanceled(document) && this.#reached.has(link);
    if (kind === "link" && !this.#continued.has(link)) return false;
    const hasRefused = answers.refusal && !answers.continue;
    if (kind === "reminder") return !signed && !hasRefused && this.now >= Date.parse(nextReminder?.dueAt ?? "");
    return !signed && (kind !== "link" || answers.continue) && (kind !== "refusal" || hasRefused);
  }

  #onLine(lineId: string, events: readonly PhoneLineEvent[]): void {
    if (events.length === 0) return;
    for (const event of events) this.judge.sawLine(lineId, event, this.now);
    this.lines.set(lineId, events.reduce(phoneLineFold.evolve, this.line(lineId)));
    this.#recorded("phoneLine", lineId, events, ({ data }) => data.documentId);
  }

  #recorded<Event extends DomainEvent>(
    streamKind: "document" | "phoneLine" | "account" | "delivery",
    streamId: string,
    events: readonly Event[],
    recordIdOf: (event: Event) => string,
  ): void {
    for (const event of events) {
      const id = `e${++this.#events}`;
      const metadata = { at: new Date(this.now + this.#events).toISOString(), accountId: sample.accountId };
      const recordId = recordIdOf(event);
      const before = this.records.get(recordId) ?? null;
      const record = evolveObligations(before, { ...(event as DomainEvent), id, streamKind, streamId, metadata });
      if (record) this.records.set(recordId, record);
    }
    this.#writesLeft -= 1;
    if (this.#writesLeft <= 0) throw new Cut();
  }
}
