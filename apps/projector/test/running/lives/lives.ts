import { type DomainEvent, sample } from "@rubrica/events";
import type { JournalEvent } from "@rubrica/journal";
import { History } from "@rubrica/test-kit/history";

type EventType = DomainEvent["type"];
/** Something that happens to a document, so many milliseconds after the step before. */
interface Step {
  type: EventType;
  data: Record<string, unknown>;
  afterMs: number;
}

const BEGIN = Date.parse("2026-01-01T00:00:00.000Z");
/** How far the first and the last request are apart. */
const SPAN_MS = 60 * 86_400_000;
const phones = ["59899123456", "5491122334455", "5215512345678"];

/** Numbers below 1 that a seed decides (mulberry32). */
const chanceOf = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
};

export const documentIdOf = (number: number): string =>
  `019aa5c0-0000-7000-8000-${number.toString(16).padStart(12, "0")}`;
export const signerIdOf = (number: number, order: number): string =>
  `${documentIdOf(number).slice(0, 14)}-${order}-${number}`;
export const accountIdOf = (number: number): string => `account-${number % 5}`;
export const phoneOf = (number: number, order: number): string => phones[(number + order) % phones.length] ?? "";

/** What a document was asked for with. */
const requestOf = (number: number, chance: () => number) => ({
  documentId: documentIdOf(number),
  channel: (["v2", "legacy", "bulk"] as const)[Math.floor(chance() * 3)],
  campaignId: chance() < 0.5 ? Math.ceil(chance() * 3) : null,
  validatePhotos: chance() < 0.2,
  hasWebhook: chance() < 0.7,
  pageCount: Math.ceil(chance() * 9),
  signers: Array.from({ length: chance() < 0.7 ? 1 : 2 }, (_, order) => ({
    signerId: signerIdOf(number, order),
    lineId: sample.lineId,
    order,
    placement: { pages: 1, x: 1, y: 1 },
  })),
});

/** One document's life, as deciders would have it. */
class Life {
  readonly steps: Step[] = [];
  readonly #chance: () => number;

  readonly requestedMs: number;

  constructor(number: number, requestedMs: number, chance: () => number) {
    this.requestedMs = requestedMs;
    this.#chance = chance;
    const request = requestOf(number, chance);
    this.#add("DocumentRequested", request);
    let open = true;
    for (const { signerId } of request.signers) open &&= this.#signer(signerId, request.validatePhotos);
    if (open) this.#end();
    else if (this.steps.at(-1)?.type !== "Rejected" && chance() < 0.2)
      this.#add("DocumentWithdrawn", { reason: chance() < 0.5 ? "canceled" : "expired" });
  }

  #add(type: EventType, data: Record<string, unknown> = {}): void {
    this.steps.push({ type, data, afterMs: 1 + Math.floor(this.#chance() ** 4 * 3_600_000) });
  }

  /** Whether they sign. */
  #signer(signerId: string, validatePhotos: boolean): boolean {
    const chance = this.#chance;
    if (chance() < 0.15) {
      this.#add("SignerQueued", { signerId });
      if (chance() < 0.5) return false;
    }
    this.#add("SignerTurnCame", { signerId });
    if (!this.#reached(signerId)) return false;
    this.#add("SigningPageOpened", { signerId });
    if (chance() < 0.2) this.#add("SigningPageOpened", { signerId });
    if (validatePhotos && !this.#identified(signerId)) return false;
    if (chance() < 0.1) this.#add("Rejected", { signerId });
    else if (chance() < 0.8) {
      this.#add("DocumentSigned", { signerId });
      return true;
    }
    return false;
  }

  /** Whether they come to have the link. */
  #reached(signerId: string): boolean {
    const chance = this.#chance;
    const template = { signerId, kind: "template", messageId: `${signerId}:template` };
    const sent = { providerMessageId: `${signerId}:wpp`, medium: "wpp" };
    this.#add("MessageAttempted", { ...template, medium: "wpp" });
    if (chance() < 0.2) {
      const goesOn = chance() < 0.6;
      const next = goesOn ? { nextMedium: "sms" } : { nextMedium: null, nextAttemptAt: null };
      this.#add("MessageFailed", { ...template, medium: "wpp", reason: "unreachable", ...next });
      if (!goesOn) return false;
      const bySms = { ...template, medium: "sms", attempt: 2, providerMessageId: `${signerId}:sms` };
      this.#add("MessageAttempted", bySms);
      this.#add("MessageSent", { ...bySms, withLink: true });
      if (chance() < 0.7) this.#add("MessageDelivered", { ...template, providerMessageId: `${signerId}:sms` });
      return chance() < 0.8;
    }
    this.#add("MessageSent", { ...template, ...sent });
    if (chance() < 0.8) this.#add("MessageDelivered", { ...template, providerMessageId: sent.providerMessageId });
    if (chance() < 0.6) this.#add("MessageRead", { ...template, providerMessageId: sent.providerMessageId });
    if (chance() < 0.1) {
      this.#add("ContinueRefused", { signerId });
      return false;
    }
    if (chance() < 0.15) return false;
    this.#add("TemplateAnswered", { signerId });
    const link = { signerId, kind: "link", messageId: `${signerId}:link`, medium: "wpp" };
    this.#add("MessageAttempted", link);
    this.#add("SignatureLinkSent", { ...link, providerMessageId: `${signerId}:link` });
    return chance() < 0.9;
  }

  /** Whether all photos are approved in the end. */
  #identified(signerId: string): boolean {
    const chance = this.#chance;
    const again = chance() < 0.3;
    this.#add("SelfieUploaded", { signerId });
    if (again) {
      this.#add("SelfieValidated", { signerId, result: "rejected" });
      this.#add("SelfieUploaded", { signerId, attempt: 2 });
    }
    this.#add("SelfieValidated", { signerId, attempt: again ? 2 : 1 });
    if (chance() < 0.2) return false;
    for (const type of ["IdFrontUploaded", "IdBackUploaded"] as const) this.#add(type, { signerId });
    for (const side of ["front", "back"]) this.#add("IdDocumentValidated", { signerId, side });
    return true;
  }

  #end(): void {
    const chance = this.#chance;
    this.#add("DocumentCompleted");
    if (chance() < 0.1) return;
    this.#add("DocumentSealed");
    if (!(this.steps[0]?.data.hasWebhook && chance() < 0.9)) return;
    let attempt = 1;
    for (; chance() < 0.2; attempt++) {
      this.#add("WebhookAttempted", { attempt });
      this.#add("WebhookAttemptFailed", { attempt, durationMs: Math.ceil(chance() * 900) });
    }
    this.#add("WebhookAttempted", { attempt });
    this.#add("WebhookDelivered", { attempt, durationMs: Math.ceil(chance() * 900) });
  }
}

/** What happened to so many documents, all at the same time, in order; a seed decides it. */
export class Lives {
  readonly #history = new History();
  readonly #eventsOf = new Map<number, JournalEvent[]>();
  readonly #webhookIds = new Map<number, string>();

  constructor(documents: number, seed: number) {
    const chance = chanceOf(seed);
    const all = Array.from({ length: documents }, (_, number) => {
      const life = new Life(number, BEGIN + Math.floor(chance() * SPAN_MS), chance);
      let at = life.requestedMs;
      return life.steps.map(({ type, data, afterMs }, index) => {
        if (index > 0) at += afterMs;
        return { number, type, data, at };
      });
    });
    for (const { number, type, data, at } of all.flat().sort((a, b) => a.at - b.at))
      this.#add(number, type, data, new Date(at).toISOString());
  }

  get events(): JournalEvent[] {
    return this.#history.events;
  }

  /** Erases the people of a document: its key is gone, so what names somebody can't be read any more. */
  erase(number: number): void {
    this.#add(number, "DocumentErased", { customIds: [] }, this.events.at(-1)?.metadata.at ?? "");
    for (const event of this.#eventsOf.get(number) ?? []) event.personal = null;
  }

  #add(number: number, type: EventType, data: Record<string, unknown>, at: string): void {
    const documentId = documentIdOf(number);
    const isDelivery = type.startsWith("Webhook");
    const given = {
      at,
      accountId: accountIdOf(number),
      data: isDelivery ? { ...data, documentId, webhookId: this.#webhookIds.get(number) } : data,
      ...(type === "DocumentRequested" ? { personal: { signers: peopleOf(number) } } : {}),
    };
    const stream = isDelivery ? { kind: "delivery", id: `d-${number}` } : { kind: "document", id: documentId };
    const event = this.#history.add(type, given as never, stream as { kind: "document"; id: string });
    this.#eventsOf.set(number, [...(this.#eventsOf.get(number) ?? []), event]);
    if (type === "DocumentSealed") this.#webhookIds.set(number, `${event.id}:webhook:alert`);
  }
}

const peopleOf = (number: number) =>
  [0, 1].map((order) => ({
    idCustom: "c",
    name: "Ana Paz",
    idNumber: "1",
    idNumberCountry: null,
    phone: phoneOf(number, order),
    email: null,
  }));
