import { type DocumentEvent, sample, type WebhookType } from "@rubrica/events";
import { bulkRow, origin, requestCommand, requester, signing } from "@rubrica/test-kit/document-history";
import {
  cancelDocument,
  canSign,
  changeExpiry,
  claimTurn,
  correctSigner,
  type Document,
  DomainError,
  holdsTurn,
  isTurnToBeClaimed,
  openPage,
  type PhotoKind,
  recordNotice,
  recordQueued,
  recordTurnCome,
  reject,
  requestDocument,
  requestResend,
  sign,
  signerOf,
  uploadPhoto,
} from "../../src/index.ts";
import { WorldHandlers } from "./handlers.ts";
import { REFUSAL_HOURS, REMINDERS, SILENCE_HOURS } from "./judge.ts";
import { HOUR_MS } from "./state.ts";

export { fair, MEDIA, type Weather } from "./handlers.ts";
export type { Owing } from "./state.ts";

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

/** The world in which people act: requesters, signers, operators, providers. */
export class World extends WorldHandlers {
  #uploads = 0;
  #presses = 0;

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
      this.ranks.set(`${documentId} ${signerId}`, position === null ? 100 + index : Number(position));
    const row = bulk ? { channel: "bulk" as const, file: null, sentFile: null, pageCount: null, bulk: bulkRow } : {};
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
    this.onDocument(documentId, requestDocument(this.document(documentId), command));
  }

  /** Takes a photo, for the first time or anew. */
  uploads(documentId: string, signerId: string, kind: PhotoKind): void {
    const document = this.document(documentId);
    if (document.status !== "pending" || !document.requestPhotos || signerOf(document, signerId).signed) return;
    const file = { ...sample.jpeg, sha256: (++this.#uploads).toString(16).padStart(64, "0") };
    if (signerOf(document, signerId).photos[kind].length === 10) return;
    const { linkNumber } = signerOf(document, signerId);
    this.onDocument(documentId, uploadPhoto(document, { signerId, linkNumber, kind, file, origin }));
  }

  signs(documentId: string, signerId: string): void {
    if (!canSign(this.document(documentId), signerId)) return;
    const { linkNumber } = signerOf(this.document(documentId), signerId);
    this.onDocument(documentId, sign(this.document(documentId), { ...signing(signerId), linkNumber }));
  }

  rejects(documentId: string, signerId: string): void {
    const document = this.document(documentId);
    if (document.status !== "pending" || signerOf(document, signerId).signed) return;
    const { linkNumber } = signerOf(document, signerId);
    this.onDocument(documentId, reject(document, { signerId, linkNumber, reason: "no", origin }));
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
    this.onDocument(documentId, decided);
    if (decide(this.document(documentId)).length > 0) this.judge.wrong("the same again was something");
  }

  /** Its requester cancels the document. */
  cancels(documentId: string): void {
    this.#tries(documentId, (document) => cancelDocument(document, { by: requester, text: null }));
  }

  /** Opens the page. */
  opens(documentId: string, signerId: string): void {
    const { linkNumber } = signerOf(this.document(documentId), signerId);
    this.onDocument(documentId, openPage(this.document(documentId), { signerId, linkNumber, origin }));
  }

  /**
   * Its requester gives the signer another phone, on that line, where they had no part in it yet. `isClaimed`: another
   * process claims their phone meanwhile, by what it knew before.
   */
  corrects(documentId: string, signerId: string, lineId: string, isClaimed: boolean): void {
    const claim = isClaimed && isTurnToBeClaimed(this.document(documentId), signerId);
    const { lineId: formerLineId, linkNumber } = signerOf(this.document(documentId), signerId);
    const phone = `5491${this.eventCount.toString().padStart(9, "0")}`;
    const command = {
      signerId,
      correctionId: `c${this.eventCount}`,
      person: { phone },
      lineId,
      by: requester,
      now: this.now,
    };
    this.#tries(documentId, (document) => correctSigner(document, command));
    if (!claim || formerLineId === null) return;
    this.onLine(formerLineId, claimTurn(this.line(formerLineId), { documentId, signerId }));
    const behindDocumentId = this.line(formerLineId).holder?.documentId ?? "";
    const claimed = { signerId, linkNumber, behindDocumentId };
    const holds = holdsTurn(this.line(formerLineId), { documentId, signerId });
    const document = this.document(documentId);
    this.onDocument(documentId, holds ? recordTurnCome(document, claimed) : recordQueued(document, claimed));
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
    const resendId = `r${this.eventCount}`;
    const command = { signerId, resendId, by: requester, now: this.now };
    this.#tries(documentId, (document) => requestResend(document, command));
  }

  /** They do so again and again, as soon as they may. */
  insists(documentId: string, signerId: string): void {
    for (let times = 0; times < 12; times++) {
      this.resends(documentId, signerId);
      if (isTurnToBeClaimed(this.document(documentId), signerId)) this.claim(documentId, signerId);
      this.waits(0.2);
    }
  }

  /** The provider tells that every message reached the signer's phone. */
  delivers(documentId: string, signerId: string): void {
    for (const { providerMessageIds } of Object.values(signerOf(this.document(documentId), signerId).messages)) {
      const [providerMessageId] = providerMessageIds;
      if (!providerMessageId) continue;
      const notice = { providerMessageId, medium: "wpp", notice: "delivered" } as const;
      this.onDocument(documentId, recordNotice(this.document(documentId), notice));
    }
  }

  /** Answers every template that the signer was sent, once, some hours ago: of that the service is told now. */
  answers(documentId: string, signerId: string, answer: "continue" | "no_continue" = "continue", hoursAgo = 0): void {
    this.waits(0);
    const atMs = this.now - hoursAgo * HOUR_MS + ++this.#presses;
    for (const { providerMessageIds } of Object.values(signerOf(this.document(documentId), signerId).messages)) {
      const [providerMessageId] = providerMessageIds;
      if (!providerMessageId) continue;
      const notice = {
        providerMessageId,
        medium: "wpp",
        notice: "answered",
        answer,
        at: new Date(atMs).toISOString(),
      } as const;
      const before = this.document(documentId);
      const { lineId, linkNumber } = signerOf(before, signerId);
      const events = recordNotice(before, notice);
      const isStrangers = this.sentTo.get(providerMessageId) !== `${lineId}/${linkNumber}`;
      if (isStrangers && events.length > 0) this.strangersTook.push(answer);
      if (!isStrangers) this.judge.pressed(documentId, signerId, { answer, atMs }, this.now);
      if (!isStrangers && answer === "continue") this.continued.add(this.linkOf(documentId, signerId));
      this.onDocument(documentId, events);
    }
  }
}
