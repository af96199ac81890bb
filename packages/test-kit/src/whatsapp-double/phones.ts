import type { Clock } from "@rubrica/runtime";
import type { TakenMessage } from "./messages.ts";
import { callOf, pressedValue, type Sender, statusValue, textValue } from "./payloads.ts";

const WINDOW_MS = 86_400_000;
const BUSINESS_PHONE = "15550783881";

/** A phone as WhatsApp knows it: in Argentina with a 9, in Mexico without a 1. */
export const waIdOf = (phone: string): string => {
  const digits = phone.replace(/\D/g, "");
  if (/^54[^9]/.test(digits)) return `549${digits.slice(2)}`;
  return digits.replace(/^521(?=\d{10}$)/, "52");
};

/** As real ones: what follows the dot holds the phone. */
const wamidOf = (phone: string, number: number, direction: "to" | "from"): string =>
  `wamid.${Buffer.from(`${direction}\u001d${waIdOf(phone)}\u0015${String(number).padStart(20, "A")}`).toString("base64")}`;

/** The signers' phones: what they were sent, and what they do, which is told. */
export class Phones {
  readonly taken: TakenMessage[] = [];
  readonly #clock: Clock;
  readonly #sender: Sender;
  readonly #tell: (call: object) => void;
  readonly #unreachable = new Set<string>();
  readonly #heardAt = new Map<string, number>();
  #namesNobody = false;
  #written = 0;

  constructor(clock: Clock, sender: Sender, tell: (call: object) => void) {
    this.#clock = clock;
    this.#sender = sender;
    this.#tell = tell;
  }

  /** The message goes to its phone; what becomes of it is told. */
  take(message: Omit<TakenMessage, "wamid">): TakenMessage {
    const kept = { ...message, wamid: wamidOf(message.to, this.taken.length + 1, "to") };
    this.taken.push(kept);
    const waId = waIdOf(message.to);
    const heardAt = this.#heardAt.get(waId) ?? Number.NEGATIVE_INFINITY;
    if (message.type === "text" && this.#clock.now() - heardAt > WINDOW_MS) {
      this.#status(kept, { failed: { code: 131047, title: "Re-engagement message" } });
    } else if (this.#unreachable.has(waId)) {
      this.#status(kept, { failed: { code: 131026, title: "Message undeliverable" } });
    } else {
      this.#status(kept, "sent");
      this.#status(kept, "delivered");
    }
    return kept;
  }

  read(wamid: string): void {
    this.#status(this.#find(wamid), "read");
  }

  press(wamid: string, label: string): void {
    const { to, buttons } = this.#find(wamid);
    const button = buttons.find((one) => one.label === label);
    if (!button || !("payload" in button)) throw new Error(`the message has no quick reply ${label}`);
    this.#say(pressedValue(this.#from(to), { wamid, ...button }));
  }

  write(phone: string, text: string): void {
    this.#say(textValue(this.#from(phone), text));
  }

  makeUnreachable(phone: string): void {
    this.#unreachable.add(waIdOf(phone));
  }

  nameNobody(): void {
    this.#namesNobody = true;
  }

  /** Whom a notice names. */
  shownId(phone: string): string | null {
    return this.#namesNobody ? null : waIdOf(phone);
  }

  #find(wamid: string): TakenMessage {
    const message = this.taken.find((one) => one.wamid === wamid);
    if (!message) throw new Error("no such message was taken");
    return message;
  }

  #from(phone: string) {
    this.#heardAt.set(waIdOf(phone), this.#clock.now());
    this.#written += 1;
    const wamid = wamidOf(phone, this.#written, "from");
    return { wamid, at: this.#seconds(), waId: this.shownId(phone), from: BUSINESS_PHONE };
  }

  #status({ wamid, to, opaque }: TakenMessage, status: Parameters<typeof statusValue>[1]): void {
    this.#say(statusValue({ wamid, at: this.#seconds(), waId: this.shownId(to), opaque }, status));
  }

  #say(value: object): void {
    this.#tell(callOf(this.#sender, [value]));
  }

  #seconds(): number {
    return Math.floor(this.#clock.now() / 1_000);
  }
}
