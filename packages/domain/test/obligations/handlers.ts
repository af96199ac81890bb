import { type DeliveryEvent, type MessageKind, sample } from "@rubrica/events";
import { augmented, now, seal } from "@rubrica/test-kit/document-history";
import {
  attemptMessage,
  augmentationAt,
  claimTurn,
  DomainError,
  eraseDocument,
  expireDocument,
  type Finding,
  failPreparation,
  holdsTurn,
  identityCheckOf,
  leaveLine,
  type Media,
  type Obligation,
  prepareDocument,
  recordAugmentationFailed,
  recordAugmented,
  recordEvidence,
  recordEvidenceFailure,
  recordForgotten,
  recordIdentityFailure,
  recordIdentityFindings,
  recordMessageFailed,
  recordMessageSent,
  recordQueued,
  recordReport,
  recordSealed,
  recordTurnCome,
  releaseReason,
  scheduleReminder,
  signerOf,
} from "../../src/index.ts";
import { Cut, type Owing, WorldState } from "./state.ts";

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

/** The world with handlers as the service's, which meet what is owed. */
export class WorldHandlers extends WorldState {
  /** Every obligation that was met, or begun to be. */
  readonly published: Owing[] = [];
  /** The webhooks that were taken. */
  readonly #told = new Set<string>();

  /** The operator erases the document, whatever state it is in. */
  erases(documentId: string): void {
    this.onDocument(documentId, eraseDocument(this.document(documentId), erasure));
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
    this.writesLeft = weather.cutAfter ?? Number.POSITIVE_INFINITY;
    try {
      this.#handle(documentId, obligation, weather);
    } catch (error) {
      if (!(error instanceof Cut)) throw error;
    } finally {
      this.writesLeft = Number.POSITIVE_INFINITY;
    }
  }

  #handle(documentId: string, obligation: Obligation, weather: Weather): void {
    const { id, kind, signerId } = obligation;
    const document = this.document(documentId);
    if (kind === "webhook") this.#callBack(documentId, obligation, weather);
    else if (kind === "claim-turn") this.claim(documentId, signerId ?? "");
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
      this.onDocument(documentId, scheduleReminder(document, command));
    } else if (kind === "send-refusal") this.#send(documentId, signerId ?? "", "refusal", id, weather);
    else if (kind === "send-cancellation") this.#send(documentId, signerId ?? "", "cancellation", id, weather);
    else if (kind === "check-identity") this.#check(documentId, signerId ?? "", weather);
    else if (kind === "fetch-evidence") this.#fetch(documentId, weather);
    else if (kind === "seal") this.#seal(documentId, weather);
    else if (kind === "complete-seal" || kind === "renew-timestamp") this.#augment(documentId, weather);
    else if (kind === "report") this.onDocument(documentId, recordReport(document, { sizeBytes: 1 }));
    else if (kind === "prepare") this.#prepare(documentId, weather);
    else if (kind === "refund") this.#refund(documentId);
    else if (kind === "expire") this.onDocument(documentId, expireDocument(document));
    else if (kind === "erase") this.erases(documentId);
    else if (kind === "forget") this.onDocument(documentId, recordForgotten(document));
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
    this.recorded("delivery", documentId, [outcome], () => documentId);
  }

  protected claim(documentId: string, signerId: string): void {
    const { lineId, linkNumber, turn } = signerOf(this.document(documentId), signerId);
    if (turn === "came") return;
    if (lineId === null) throw new Error("nothing is claimed without messages");
    this.onLine(lineId, claimTurn(this.line(lineId), { documentId, signerId }));
    const line = this.line(lineId);
    const document = this.document(documentId);
    const behindDocumentId = line.holder?.documentId ?? "";
    const holds = holdsTurn(line, { documentId, signerId });
    this.onDocument(
      documentId,
      holds
        ? recordTurnCome(document, { signerId, linkNumber })
        : recordQueued(document, { signerId, linkNumber, behindDocumentId }),
    );
  }

  #announce(documentId: string, signerId: string): void {
    const { lineId, linkNumber } = signerOf(this.document(documentId), signerId);
    if (!holdsTurn(this.line(lineId ?? ""), { documentId, signerId })) return;
    this.onDocument(documentId, recordTurnCome(this.document(documentId), { signerId, linkNumber }));
  }

  #leave(documentId: string, signerId: string): void {
    for (const lineId of signerOf(this.document(documentId), signerId).formerLineIds) {
      this.onLine(lineId, leaveLine(this.line(lineId), { documentId, signerId, reason: "corrected" }));
    }
  }

  #release(documentId: string, signerId: string): void {
    const reason = releaseReason(this.document(documentId), signerId);
    const { lineId } = signerOf(this.document(documentId), signerId);
    // A repeated one's reason may be gone: they are asked anew.
    if (!reason || lineId === null) return;
    this.onLine(lineId, leaveLine(this.line(lineId), { documentId, signerId, reason }));
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
    this.onDocument(documentId, attempt);
    if (attempt[0]?.type !== "MessageAttempted") return;
    const permanent = weather.provider === "refuses";
    const failure = { ...named, reason: "unreachable", permanent, media: MEDIA, now, jitter: 0 };
    const { lineId, linkNumber } = signerOf(this.document(documentId), signerId);
    this.sentTo.set(`p${this.eventCount}`, `${lineId}/${linkNumber}`);
    const outcome =
      weather.provider === "takes"
        ? recordMessageSent(this.document(documentId), { ...named, providerMessageId: `p${this.eventCount}` })
        : recordMessageFailed(this.document(documentId), failure);
    if (weather.provider === "takes" && (kind === "template" || kind === "link")) {
      this.reached.add(this.linkOf(documentId, signerId));
    }
    this.onDocument(documentId, outcome);
  }

  #prepare(documentId: string, { provider }: Weather): void {
    const document = this.document(documentId);
    if (provider === "fails") return;
    this.onDocument(
      documentId,
      provider === "refuses"
        ? failPreparation(document, { reason: "unreadable", attempts: 1 })
        : prepareDocument(document, { file: sample.pdf, pageCount: 1 }),
    );
  }

  #refund(documentId: string): void {
    const refund = { type: "CreditsRefunded" as const, data: { documentId, amount: 1, balance: 1 }, personal: null };
    this.recorded("account", sample.accountId, [refund], () => documentId);
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
      this.onDocument(documentId, recordIdentityFailure(document, failure));
      return;
    }
    const good: Finding = { result: "approved", reason: null };
    const rejection = provider === "refuses" ? "face_mismatch" : null;
    const found = { photos: { selfie: good, idFront: good, idBack: good }, mrz: good, documentError: null, rejection };
    this.onDocument(
      documentId,
      recordIdentityFindings(document, { provider: sample.provider, signerId, attempts, ...found }),
    );
  }

  #fetch(documentId: string, { provider }: Weather): void {
    const document = this.document(documentId);
    const attempt = "evidenceFailures" in document ? document.evidenceFailures + 1 : 1;
    const failure = { attempt, reason: "timeout", now, jitter: 0 };
    this.onDocument(
      documentId,
      provider === "fails"
        ? recordEvidenceFailure(document, failure)
        : recordEvidence(document, { provider: sample.provider, files: [] }),
    );
  }

  #seal(documentId: string, { provider }: Weather): void {
    const command = { ...seal, toComplete: provider !== "takes" };
    this.onDocument(documentId, recordSealed(this.document(documentId), command));
  }

  /** Completes a seal; its timestamps are never renewed in this world, which would have no end. */
  #augment(documentId: string, { provider }: Weather): void {
    const document = this.document(documentId);
    const due = augmentationAt(document, Number.POSITIVE_INFINITY);
    if (due === null) return;
    const { kind, seal: current } = due;
    const failure = { kind, attempt: current.failures + 1, reason: "timestamp_unavailable", now, jitter: 0 };
    this.onDocument(
      documentId,
      kind === "renew" || provider !== "takes"
        ? recordAugmentationFailed(document, { ...failure, isFinal: kind === "renew" })
        : recordAugmented(document, { ...augmented(kind), from: current.file.sha256 }),
    );
  }
}
