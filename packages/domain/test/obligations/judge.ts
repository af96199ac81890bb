import type { DocumentEvent, PhoneLineEvent, WebhookType } from "@rubrica/events";
import { type Press, type Presser, pressed } from "./presses.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** Of America/Montevideo, which sets no clock forward or back. */
const ZONE_MS = -3 * HOUR_MS;

/** What every document of the world is asked with. */
export const REMINDERS = { afterHours: 5, everyHours: 12, max: 2 };
export const REFUSAL_HOURS = 20;
export const SILENCE_HOURS = 30;

/** What is known of a signer, since they were corrected. */
interface Person extends Presser {
  lineId: string;
  isReached: boolean;
  /** They were before all was sent anew last. */
  wasReached: boolean;
  isGivenUp: boolean;
  tookPart: boolean;
  opened: boolean;
  /** They got it without their phone's turn. */
  isOutOfTurn: boolean;
  deliveredAtMs: number | null;
  isReminded: boolean;
  reminders: number;
  explained: boolean;
  toldOfEnd: boolean;
}

/** What is known of a document. */
interface Story {
  channel: "v2" | "legacy" | "bulk";
  chosen: readonly WebhookType[];
  silenceHours: number | null;
  expiresAtMs: number | null;
  hasFile: boolean;
  end: "signed" | "rejected" | "canceled" | "expired" | "failed" | "erased" | null;
  isErased: boolean;
  isReported: boolean;
  people: Map<string, Person>;
  /** When who had been asked, or waited in line, was to be asked anew. */
  askedAnew: Map<string, number[]>;
  /** What is to be told, in the order of what happened; and what was. */
  owed: WebhookType[];
  told: WebhookType[];
}

const CONTRACT: readonly WebhookType[] = ["alert", "report", "msg", "rejection"];
const NOT_AFTER_END = new Set<string>([
  "SignerTurnCame",
  "DocumentSigned",
  "Rejected",
  "DocumentCompleted",
  "DocumentExpiryChanged",
  "ResendRequested",
  "SignerCorrected",
  "ReminderScheduled",
  "SelfieUploaded",
  "IdFrontUploaded",
  "IdBackUploaded",
]);

const newPerson = (lineId: string): Person => ({
  lineId,
  isReached: false,
  wasReached: false,
  isAsked: false,
  isInLine: false,
  isGivenUp: false,
  tookPart: false,
  opened: false,
  signed: false,
  continued: false,
  awaitsLink: false,
  isOutOfTurn: false,
  refusedAtMs: null,
  lastPress: null,
  deliveredAtMs: null,
  lastAtMs: null,
  isReminded: false,
  reminders: 0,
  explained: false,
  toldOfEnd: false,
});

/** Whether the hours are over for which who refused keeps their phone, or a place in its line. */
const hasGivenUp = ({ refusedAtMs }: Person, now: number): boolean =>
  refusedAtMs !== null && now >= refusedAtMs + REFUSAL_HOURS * HOUR_MS;

/** Judges what happens by the rules alone, as they are told to people, and not by what deciders and obligations share. */
export class Judge {
  /** What was against the rules. */
  readonly faults: string[] = [];
  readonly #stories = new Map<string, Story>();

  saw(documentId: string, event: DocumentEvent, now: number): void {
    if (event.type === "DocumentRequested") this.#asked(documentId, event.data);
    const story = this.#storyOf(documentId);
    this.#judgeTime(story, event, now);
    this.#judgeDocument(story, event);
    if ("signerId" in event.data) this.#judgeSigner(story, event.data.signerId, event, now);
    const told = this.#webhookOf(story, event);
    if (told !== null && story.chosen.includes(told)) story.owed.push(told);
  }

  /** A phone's line changed. */
  sawLine(lineId: string, { type, data }: PhoneLineEvent, now: number): void {
    if (type !== "TurnReleased") return;
    const story = this.#storyOf(data.documentId);
    const person = this.#personOf(story, data.signerId);
    const isOver = (since: number | null, hours: number | null) =>
      since !== null && hours !== null && now >= since + hours * HOUR_MS;
    const may = {
      signed: person.signed,
      document_ended: story.end !== null || this.#isOver(story, now),
      undeliverable: person.isGivenUp,
      refused: isOver(person.refusedAtMs, REFUSAL_HOURS),
      unanswered: isOver(person.deliveredAtMs, story.silenceHours) && !person.opened && !person.continued,
      corrected: person.lineId !== lineId,
      continued: person.isOutOfTurn,
    };
    if (!(data.reason in may) || !may[data.reason as keyof typeof may]) this.#fault(`released: ${data.reason}`);
  }

  /** A signer pressed a button of theirs, and the service is told of it. */
  pressed(documentId: string, signerId: string, press: Press, now: number): void {
    const story = this.#storyOf(documentId);
    const isOver = story.end !== null || this.#isOver(story, now);
    const told = pressed(this.#personOf(story, signerId), press, now, isOver);
    if (told !== null && story.chosen.includes(told)) story.owed.push(told);
  }

  hasRefused(documentId: string, signerId: string): boolean {
    return this.#personOf(this.#storyOf(documentId), signerId).refusedAtMs !== null;
  }

  /** Whether a signer refused so long ago that nobody keeps their phone, or a place in its line, for them. */
  hasLeft(documentId: string, signerId: string, now: number): boolean {
    return hasGivenUp(this.#personOf(this.#storyOf(documentId), signerId), now);
  }

  told(documentId: string, type: WebhookType): void {
    this.#storyOf(documentId).told.push(type);
  }

  /** What must not have been taken, or was to be nothing, was something. */
  wrong(what: string): void {
    this.#fault(what);
  }

  /** What everything that is owed having been met must have brought. `holds`: whether a signer has their phone's turn. */
  settled(now: number, holds: (lineId: string, documentId: string, signerId: string) => boolean): string[] {
    const faults: string[] = [];
    for (const [documentId, story] of this.#stories) {
      if (story.told.join() !== story.owed.join()) faults.push(`told ${story.told}, not ${story.owed}`);
      const isTold = story.end !== null && story.end !== "failed" && story.end !== "erased" && story.hasFile;
      if (isTold && !story.isErased && !story.isReported) faults.push(`no report: ${story.end}`);
      if (story.end === null && this.#isOver(story, now)) faults.push("open after its time");
      for (const [signerId, person] of story.people) {
        if (story.end === "canceled" && !story.isErased && person.isReached && !person.toldOfEnd)
          faults.push("not told of the end");
        if (story.end !== null || person.signed) continue;
        const isOver = (since: number | null, hours: number | null) =>
          since !== null && hours !== null && now >= since + hours * HOUR_MS;
        const isRefusing = person.refusedAtMs !== null;
        if (person.awaitsLink && !person.isGivenUp && !isRefusing) faults.push("who continued waits for the link");
        if (person.isOutOfTurn && holds(person.lineId, documentId, signerId)) faults.push("held without a turn");
        const isQuiet = !person.continued && !isRefusing && !person.opened;
        const hasLeft =
          isOver(person.refusedAtMs, REFUSAL_HOURS) || (isQuiet && isOver(person.deliveredAtMs, story.silenceHours));
        if (hasLeft && holds(person.lineId, documentId, signerId)) faults.push("a phone is held for too long");
        if (isRefusing && !person.explained) faults.push("refusal not explained");
      }
    }
    return faults;
  }

  #fault(what: string): void {
    this.faults.push(what);
  }

  #asked(documentId: string, data: Extract<DocumentEvent, { type: "DocumentRequested" }>["data"]): void {
    this.#stories.set(documentId, {
      channel: data.channel,
      chosen: data.webhookEvents ?? CONTRACT,
      silenceHours: data.silenceHours,
      expiresAtMs: data.expiresAt === null ? null : Date.parse(data.expiresAt),
      hasFile: data.file !== null,
      end: null,
      isErased: false,
      isReported: false,
      people: new Map(data.signers.map(({ signerId, lineId }) => [signerId, newPerson(lineId ?? "")])),
      askedAnew: new Map(),
      owed: [],
      told: [],
    });
  }

  #storyOf(documentId: string): Story {
    const story = this.#stories.get(documentId);
    if (!story) throw new Error("it was not requested");
    return story;
  }

  #personOf(story: Story, signerId: string): Person {
    const person = story.people.get(signerId);
    if (!person) throw new Error("nobody asked them");
    return person;
  }

  #isOver({ expiresAtMs }: Story, now: number): boolean {
    return expiresAtMs !== null && now >= expiresAtMs;
  }

  /** After the end, or its time, nothing is taken any more, be it recorded or not. */
  #judgeTime(story: Story, event: DocumentEvent, now: number): void {
    if (event.type === "DocumentRequested") return;
    const isLate = story.end !== null || this.#isOver(story, now);
    if (isLate && NOT_AFTER_END.has(event.type)) this.#fault(`after the end: ${event.type}`);
    if (event.type !== "DocumentWithdrawn") return;
    const { reason } = event.data;
    if (story.end !== null) this.#fault(`${reason} after ${story.end}`);
    if (reason === "expired" && !this.#isOver(story, now)) this.#fault("expired before its time");
    if (reason === "canceled" && this.#isOver(story, now)) this.#fault("canceled after its time");
  }

  #judgeDocument(story: Story, event: DocumentEvent): void {
    if (event.type === "DocumentPrepared") story.hasFile = true;
    if (event.type === "DocumentExpiryChanged") story.expiresAtMs = Date.parse(event.data.expiresAt);
    if (event.type === "ReportGenerated") story.isReported = true;
    if (event.type === "DocumentErased") story.isErased = true;
    if (event.type === "DocumentCompleted") story.end = "signed";
    if (event.type === "Rejected") story.end = "rejected";
    if (event.type === "PreparationFailed") story.end = "failed";
    if (event.type === "DocumentWithdrawn") story.end = event.data.reason === "erasure" ? "erased" : event.data.reason;
  }

  #judgeSigner(story: Story, signerId: string, event: DocumentEvent, now: number): void {
    const person = this.#personOf(story, signerId);
    switch (event.type) {
      case "SignerQueued":
        person.isInLine = true;
        return;
      case "SignerTurnCame":
        if (person.isAsked) this.#fault("a turn came twice");
        person.isAsked = true;
        person.isOutOfTurn = event.data.lineId === null;
        if (person.isOutOfTurn && !person.awaitsLink) this.#fault("out of turn, without having continued");
        return;
      case "SigningPageOpened":
        person.opened = true;
        person.tookPart = true;
        return;
      case "SelfieUploaded":
      case "IdFrontUploaded":
      case "IdBackUploaded":
        person.tookPart = true;
        return;
      case "DocumentSigned":
        person.signed = true;
        person.tookPart = true;
        return;
      case "ReminderScheduled":
        if (event.data.dueAt !== null && this.#isOver(story, Date.parse(event.data.dueAt)))
          this.#fault("to be reminded after its time");
        return;
      case "ResendRequested":
        this.#judgeResend(story, signerId, now);
        return;
      case "SignerCorrected":
        if (person.tookPart) this.#fault("corrected who took part");
        if (person.isAsked || person.isInLine || story.askedAnew.has(signerId))
          this.#judgeAskedAnew(story, signerId, now);
        story.people.set(signerId, newPerson(event.data.lineId ?? ""));
        return;
      default:
        this.#judgeMessage(person, event, now);
    }
  }

  #judgeResend(story: Story, signerId: string, now: number): void {
    const person = this.#personOf(story, signerId);
    if (!person.isAsked && !hasGivenUp(person, now)) this.#fault("sent anew to who was not asked");
    if (person.signed) this.#fault("sent anew to who has signed");
    this.#judgeAskedAnew(story, signerId, now);
    const { lineId, isReached, tookPart, opened, continued, reminders, lastPress } = person;
    const anew = { isReached, wasReached: isReached, tookPart, opened, continued, reminders, lastPress };
    story.people.set(signerId, { ...newPerson(lineId), ...anew, lastAtMs: now });
  }

  #judgeAskedAnew(story: Story, signerId: string, now: number): void {
    const before = story.askedAnew.get(signerId) ?? [];
    if (before.length >= 10) this.#fault("asked anew too often");
    if (now - (before.at(-1) ?? Number.NEGATIVE_INFINITY) < 10 * MINUTE_MS) this.#fault("asked anew too soon");
    story.askedAnew.set(signerId, [...before, now]);
  }

  #judgeMessage(person: Person, event: DocumentEvent, now: number): void {
    if (!("kind" in event.data) || !("messageId" in event.data)) return;
    const { kind } = event.data;
    const isAsking = kind === "template" || kind === "link";
    switch (event.type) {
      case "MessageAttempted":
        if (kind === "reminder") this.#judgeReminder(person, now);
        if (kind === "refusal") person.explained = true;
        if (kind === "cancellation") person.toldOfEnd = true;
        if (kind === "link") person.awaitsLink = false;
        if (isAsking && !person.isAsked) this.#fault(`${kind} before the turn`);
        return;
      case "MessageSent":
      case "SignatureLinkSent":
        person.isReached = true;
        person.lastAtMs = now;
        return;
      case "ReminderSent":
        this.#reminded(person, now);
        return;
      case "MessageDelivered":
        if (kind === "template") person.deliveredAtMs ??= now;
        return;
      case "MessageFailed":
        if (isAsking) person.isReached = person.deliveredAtMs !== null || person.wasReached;
        if (event.data.nextAttemptAt !== null || event.data.wasTaken) return;
        if (isAsking) person.isGivenUp = true;
        if (kind === "cancellation") person.toldOfEnd = true;
        if (kind === "refusal") person.explained = true;
        if (kind === "reminder") this.#reminded(person, now);
        return;
      default:
    }
  }

  #judgeReminder(person: Person, now: number): void {
    const hour = new Date(now + ZONE_MS).getUTCHours();
    if (hour < 9 || hour >= 20) this.#fault(`reminded at ${hour} o'clock`);
    if (person.reminders >= REMINDERS.max) this.#fault("reminded too often");
    if (person.refusedAtMs !== null) this.#fault("reminded who refused");
    const hours = person.isReminded ? REMINDERS.everyHours : REMINDERS.afterHours;
    if (person.lastAtMs !== null && now < person.lastAtMs + hours * HOUR_MS) this.#fault("reminded too soon");
  }

  #reminded(person: Person, now: number): void {
    person.lastAtMs = now;
    person.isReminded = true;
    person.reminders += 1;
  }

  #webhookOf({ channel }: Story, event: DocumentEvent): WebhookType | null {
    switch (event.type) {
      case "DocumentSealed":
        return "alert";
      case "ReportGenerated":
        return "report";
      case "MessageFailed": {
        const { kind, nextAttemptAt } = event.data;
        return nextAttemptAt === null && (kind === "template" || kind === "link") ? "msg" : null;
      }
      case "Rejected":
        return channel === "v2" ? "rejection" : null;
      case "DocumentWithdrawn":
        return event.data.reason === "erasure" ? null : event.data.reason;
      case "DocumentSigned":
        return "signer_signed";
      case "SigningPageOpened":
        return "page_opened";
      default:
        return null;
    }
  }
}
