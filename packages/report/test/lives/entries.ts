import { createHash } from "node:crypto";
import { currentConsent } from "@rubrica/domain";
import {
  type DocumentEvent,
  derivedId,
  type FileReference,
  type Medium,
  type MessageKind,
  type Provider,
  type SignatureMethod,
  sample,
} from "@rubrica/events";
import { plainRequest } from "@rubrica/test-kit/document-history";

/** One event of a document's life, before it is stored. `at` in milliseconds since the UNIX epoch. */
export interface Entry {
  event: DocumentEvent;
  actor: string;
  at: number;
}

/** A document's life: its events, and the plain bytes that they name by their hashes. */
export interface Life {
  documentId: string;
  entries: readonly Entry[];
  files: readonly { bytes: Buffer; mediaType: string }[];
  /** Its key is destroyed at the end. */
  erased: boolean;
}

const SECOND_MS = 1_000;
const START = Date.UTC(2026, 10, 21, 15, 0, 0, 250);

export const documentId = derivedId("life");
export const signerIdOf = (index: number): string => derivedId("life", String(index));
export const ipOf = (index: number): string => `203.0.113.${index + 10}`;
export const userAgentOf = (index: number): string => `Browser/${index + 1}.0`;
export const names = ["Ana Paz", "Bruno Díaz", "Carla Núñez"] as const;

type Data<Type extends DocumentEvent["type"]> = Extract<DocumentEvent, { type: Type }>["data"];

/** Writes a life down, event by event, a second apart. */
export class Writer {
  /** Who brings messages from now on; null as in events from before that was recorded. */
  messaging: Provider | null = { name: "WhatsApp (Meta)", simulated: false };
  /** By what messages go from now on. */
  medium: Medium = "wpp";
  /** Who checks identity from now on. */
  identity: Provider | null = { name: "Acme Identity", simulated: false };
  readonly entries: Entry[] = [];
  readonly files: { bytes: Buffer; mediaType: string }[] = [];

  file(content: string | Buffer, mediaType: string): FileReference {
    const bytes = Buffer.from(content as string);
    this.files.push({ bytes, mediaType });
    return { sha256: createHash("sha256").update(bytes).digest("hex"), size: bytes.length, mediaType };
  }

  add(actor: string, ...events: DocumentEvent[]): void {
    for (const event of events) this.entries.push({ event, actor, at: START + this.entries.length * SECOND_MS });
  }

  requested(
    original: Buffer,
    people: number,
    options: Partial<Data<"DocumentRequested">> = {},
    groups: readonly number[] = [],
  ): FileReference {
    const file = this.file(original, "application/pdf");
    const indexes = Array.from({ length: people }, (_, index) => index);
    this.add("integrator", {
      type: "DocumentRequested",
      data: {
        ...plainRequest,
        requester: { accountName: "ACME S.A.", keyId: sample.keyId, keyName: "producción" },
        documentId,
        accountId: sample.accountId,
        file,
        sentFile: file,
        pageCount: 1,
        signers: indexes.map((index) => ({
          signerId: signerIdOf(index),
          lineId: sample.lineId,
          order: index,
          group: groups[index] ?? index,
          placement: { pages: "last", x: 40, y: 700 },
        })),
        ...options,
      },
      personal: {
        requestIp: "198.51.100.4",
        documentName: "Contrato de locación",
        businessName: "ACME Propiedades S.A.",
        messageText: null,
        customParameters: null,
        webhook: null,
        variables: null,
        signers: indexes.map((index) => ({
          idCustom: signerIdOf(index),
          name: names[index] ?? `Firmante ${index + 1}`,
          idNumber: String(30_123_450 + index),
          idNumberCountry: "AR",
          phone: `549112233445${index}`,
          email: index === 0 ? "ana@example.com" : null,
        })),
      },
    });
    return file;
  }

  #message(index: number, kind: MessageKind) {
    return { signerId: signerIdOf(index), kind, messageId: `${signerIdOf(index)}:${kind}` };
  }

  attempted(index: number, kind: MessageKind, attempt: number): void {
    const data = { ...this.#message(index, kind), medium: this.medium, attempt, provider: this.messaging };
    this.add("service/messages", { type: "MessageAttempted", data, personal: null });
  }

  failed(index: number, kind: MessageKind, attempt: number, reason: string): void {
    const data = {
      ...this.#message(index, kind),
      medium: this.medium,
      attempt,
      reason,
      nextAttemptAt: null,
      nextMedium: null,
    };
    this.add("service/messages", { type: "MessageFailed", data, personal: null });
  }

  sent(index: number, kind: MessageKind, attempt: number): void {
    const named = { ...this.#message(index, kind), providerMessageId: `${this.medium}.${index}.${kind}` };
    const data = { ...named, medium: this.medium, attempt };
    const sent = {
      template: { type: "MessageSent", data: { ...data, kind: "template", withLink: this.medium !== "wpp" } },
      link: { type: "SignatureLinkSent", data: { ...data, kind: "link" } },
      copy: { type: "SignedCopySent", data: { ...data, kind: "copy" } },
      reminder: { type: "ReminderSent", data: { ...data, kind: "reminder", withLink: false } },
      refusal: { type: "RefusalExplained", data: { ...data, kind: "refusal" } },
      cancellation: { type: "CancellationSent", data: { ...data, kind: "cancellation" } },
    } as const;
    this.add("service/messages", { ...sent[kind], personal: null });
  }

  noticed(type: "MessageDelivered" | "MessageRead", index: number, kind: MessageKind): void {
    const data = { ...this.#message(index, kind), providerMessageId: `${this.medium}.${index}.${kind}` };
    this.add("provider", { type, data, personal: null });
  }

  answered(type: "TemplateAnswered" | "ContinueRefused", index: number): void {
    const data = { signerId: signerIdOf(index), providerMessageId: `${this.medium}.${index}.template` };
    if (type === "TemplateAnswered") this.add("provider", { type, data, personal: null });
    else this.add("provider", { type, data: { ...data, explained: true }, personal: null });
  }

  opened(index: number): void {
    const personal = { ip: ipOf(index), userAgent: userAgentOf(index) };
    this.add("signer", { type: "SigningPageOpened", data: { signerId: signerIdOf(index) }, personal });
  }

  checkedSelfie(index: number, result: "approved" | "rejected"): void {
    const data = { signerId: signerIdOf(index), provider: this.identity, attempt: 1, result, reason: null };
    this.add("service/identity", { type: "SelfieValidated", data, personal: null });
  }

  consented(index: number, documentSha256: string): void {
    const personal = { ip: ipOf(index), userAgent: userAgentOf(index) };
    const data = { signerId: signerIdOf(index), consentVersion: currentConsent.version, documentSha256 };
    this.add("signer", { type: "ConsentGiven", data, personal });
  }

  signed(index: number, documentSha256: string, method: SignatureMethod | null = null): void {
    const personal = { ip: ipOf(index), userAgent: userAgentOf(index) };
    const drawing = this.file(`drawing ${index}`, "image/png");
    const drawingJpeg = this.file(`jpeg ${index}`, "image/jpeg");
    const data = { signerId: signerIdOf(index), documentSha256, drawing, drawingJpeg, timeZone: null, method };
    this.add("signer", { type: "DocumentSigned", data, personal });
  }

  rejected(index: number, reason: string): void {
    const personal = { ip: ipOf(index), userAgent: userAgentOf(index), reason };
    this.add("signer", { type: "Rejected", data: { signerId: signerIdOf(index) }, personal });
  }

  completed(): void {
    this.add("signer", { type: "DocumentCompleted", data: {}, personal: null });
  }

  sealed(ownAuthority: boolean | null = false, given: Partial<Data<"DocumentSealed">> = {}): void {
    const file = this.file("sealed", "application/pdf");
    const data = {
      file,
      level: "B-B" as const,
      shortfall: null,
      certificateSha256: sample.sha256,
      ownAuthority,
      timestamp: null,
      sendCopies: false,
      toComplete: false,
      provenUntil: null,
      ...given,
    };
    this.add("service/sealing", { type: "DocumentSealed", data, personal: null });
  }

  /** The SHA-256 of the file that the seal became. */
  augmented(kind: "complete" | "renew", timestamp: { at: string; authority: string }): string {
    const file = this.file(`augmented-${this.entries.length}`, "application/pdf");
    const reached = { level: "B-LTA" as const, shortfall: null, toComplete: false, provenUntil: timestamp.at };
    const data = { kind, file, ...reached, timestamp };
    this.add("service/sealing", { type: "SealAugmented", data, personal: null });
    return file.sha256;
  }

  life(erased = false): Life {
    return { documentId, entries: this.entries, files: this.files, erased };
  }
}
