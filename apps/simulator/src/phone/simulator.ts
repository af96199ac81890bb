import { phoneLine } from "@rubrica/identity";
import {
  copyText,
  type LinkMessage,
  linkText,
  MessagingError,
  type NoteMessage,
  noteText,
  type ReminderMessage,
  reminderText,
  requestText,
  type Sent,
  type TemplateMessage,
} from "@rubrica/messaging";
import type { Runtime } from "@rubrica/runtime";
import { createRowCipher } from "@rubrica/secrets";
import type { PhoneNotice } from "./notice.ts";
import { Outbox } from "./outbox.ts";
import { phoneNamesBy } from "./phone-names.ts";
import { type Answer, type MessageContent, SimulatorStore, type StoredMessage, type StoredReply } from "./store.ts";

/** As WhatsApp's longest text. */
const MAX_TEXT_LENGTH = 4_096;
/** Most messages of a phone, or of all, that are shown; the newest ones. */
const SHOWN_MESSAGES = 200;
const SHOWN_CHATS = 200;

/** A phone as the list of chats shows it. */
export interface Chat {
  phone: string;
  name: string;
  /** The newest message to it, delivered or not. */
  newest: StoredMessage;
  reachable: boolean;
  undelivered: number;
  unread: number;
}

/** The phone has buttons, so that the link comes with a message of its own. */
type RequestMessage = Omit<TemplateMessage, "link">;

/** A messaging provider that keeps every phone itself, for development, demos and tests. */
export interface MessagingSimulator {
  /** Takes a message, and tells later what became of it. @throws {MessagingError} */
  sendTemplate(message: RequestMessage): Promise<Sent>;
  /** @throws {MessagingError} */
  sendLink(message: LinkMessage): Promise<Sent>;
  /** @throws {MessagingError} */
  sendCopy(message: LinkMessage): Promise<Sent>;
  /** @throws {MessagingError} */
  sendReminder(message: ReminderMessage): Promise<Sent>;
  /** @throws {MessagingError} */
  sendNote(message: NoteMessage): Promise<Sent>;
  /** Keeps nothing any more of what was sent under the service's own id of a message. */
  forget(messageId: string): void;
  /** The newest messages that arrived at a phone (or at all of them), in the order in which they were sent. */
  messages(phone?: string): StoredMessage[];
  /** The phones that something was sent to, the newest message's first. */
  chats(): Chat[];
  /** The buttons pressed on a message, in the order of pressing. */
  repliesTo(messageId: string): StoredReply[];
  /** Presses a button of a message. */
  reply(messageId: string, answer: Answer): "replied" | "no_such_message" | "no_such_button";
  /** The phone's owner has looked at the chat. */
  markRead(phone: string): void;
  /** What is sent to an unreachable phone is accepted, and then fails for good. */
  setReachable(phone: string, reachable: boolean): void;
  /** Calls back after each change, until the returned function is called. */
  onChange(listener: () => void): () => void;
  /** Stops giving notices, once those in flight have been taken; what is left is given after the next opening. */
  close(): Promise<void>;
}

/**
 * Opens the simulator on its file (or ":memory:").
 *
 * It behaves as a provider on the network does: it accepts a message, and tells later what became of it, through
 * `onNotice`, again and again with growing pauses until that resolves, also after a restart. The same message sent
 * twice is two messages. No personal byte lies in the file in the clear. One process at a time.
 *
 * @param options.keys 256 bits each, the newest first; former ones still decrypt what they encrypted.
 * @throws {Error} when the file cannot be opened, or is no database.
 */
export const openMessagingSimulator = (options: {
  path: string;
  keys: readonly Buffer[];
  runtime: Runtime;
  onNotice: (notice: PhoneNotice) => Promise<void>;
}): MessagingSimulator => new Simulator(options);

class Simulator implements MessagingSimulator {
  readonly #runtime: Runtime;
  readonly #store: SimulatorStore;
  readonly #outbox: Outbox;
  readonly #listeners = new Set<() => void>();

  constructor({ path, keys, runtime, onNotice }: Parameters<typeof openMessagingSimulator>[0]) {
    this.#runtime = runtime;
    this.#store = new SimulatorStore(
      path,
      createRowCipher({ keys, purpose: "encryption", random: runtime.random }),
      phoneNamesBy(keys),
    );
    this.#outbox = new Outbox({ store: this.#store, runtime, onNotice, onTaken: () => this.#tell() });
  }

  async sendTemplate(message: RequestMessage): Promise<Sent> {
    const { messageId, to, signerName, businessName } = message;
    const text = requestText(message);
    return this.#accept("template", { messageId, to, signerName, businessName, text, link: null });
  }

  async sendLink(message: LinkMessage): Promise<Sent> {
    const { messageId, to, signerName, link } = message;
    return this.#accept("link", { messageId, to, signerName, businessName: null, text: linkText(message), link });
  }

  async sendCopy(message: LinkMessage): Promise<Sent> {
    const { messageId, to, signerName, link } = message;
    return this.#accept("copy", { messageId, to, signerName, businessName: null, text: copyText(message), link });
  }

  async sendReminder(message: ReminderMessage): Promise<Sent> {
    const { messageId, to, signerName, businessName, hasContinued } = message;
    const link = hasContinued ? message.link : null;
    return this.#accept("reminder", { messageId, to, signerName, businessName, text: reminderText(message), link });
  }

  async sendNote(message: NoteMessage): Promise<Sent> {
    const { kind, messageId, to, signerName, businessName } = message;
    const text = noteText(message);
    return this.#accept(kind, { messageId, to, signerName, businessName, text, link: null });
  }

  forget(messageId: string): void {
    this.#store.removeMessages(messageId);
    this.#changed();
  }

  messages(phone?: string): StoredMessage[] {
    return this.#store.deliveredMessages({ phone, limit: SHOWN_MESSAGES });
  }

  chats(): Chat[] {
    const seen = new Set<string>();
    const chats: Chat[] = [];
    for (const newest of this.#store.newestOfEachPhone(SHOWN_CHATS)) {
      const { to, signerName } = newest.content;
      // After a change of SECRET one phone goes by two names in the store.
      if (seen.has(phoneLine(to))) continue;
      seen.add(phoneLine(to));
      const counts = this.#store.counts(to);
      chats.push({ phone: to, name: signerName, newest, reachable: this.#store.isReachable(to), ...counts });
    }
    return chats;
  }

  repliesTo(messageId: string): StoredReply[] {
    return this.#store.repliesTo(messageId);
  }

  reply(messageId: string, answer: Answer): "replied" | "no_such_message" | "no_such_button" {
    const message = this.#store.findMessage(messageId);
    if (!message?.delivered) return "no_such_message";
    if (!hasButtons(message)) return "no_such_button";
    const at = this.#runtime.clock.now();
    this.#store.addReply(messageId, answer, at, { kind: "answered", ...named(message), at, answer });
    this.#changed();
    return "replied";
  }

  markRead(phone: string): void {
    const at = this.#runtime.clock.now();
    this.#store.markRead(phone, (message) => ({ kind: "read", ...named(message), at }));
    this.#changed();
  }

  setReachable(phone: string, reachable: boolean): void {
    this.#store.setReachable(phone, reachable);
    this.#changed();
  }

  onChange(listener: () => void): () => void {
    // Each time another one, so that who listens twice is told twice.
    const told = () => listener();
    this.#listeners.add(told);
    return () => void this.#listeners.delete(told);
  }

  async close(): Promise<void> {
    await this.#outbox.close();
    this.#listeners.clear();
    this.#store.close();
  }

  #accept(kind: StoredMessage["kind"], content: MessageContent): Sent {
    if (!/^\d{8,15}$/.test(content.to)) throw new MessagingError("invalid_phone", true);
    if (content.text.length > MAX_TEXT_LENGTH) throw new MessagingError("text_too_long", true);
    const id = `sim.${this.#runtime.ids.uuidv7()}`;
    const at = this.#runtime.clock.now();
    const delivered = this.#store.isReachable(content.to);
    this.#store.addMessage(
      { id, at, kind, delivered, content },
      delivered
        ? { kind: "delivered", ...named({ id, content }), at }
        : { kind: "failed", ...named({ id, content }), at, reason: "unreachable", permanent: true },
    );
    this.#changed();
    return { providerMessageId: id };
  }

  #changed(): void {
    this.#outbox.wake();
    this.#tell();
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

/** Whether it has the quick replies: what asks, and what reminds of it without the link. */
export const hasButtons = ({ kind, content: { link } }: Pick<StoredMessage, "kind" | "content">): boolean =>
  kind === "template" || (kind === "reminder" && link === null);

const named = ({ id, content: { messageId } }: Pick<StoredMessage, "id" | "content">) => ({
  providerMessageId: id,
  messageId,
});
