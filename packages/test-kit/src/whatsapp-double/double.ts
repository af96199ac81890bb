import { type Clock, systemClock } from "@rubrica/runtime";
import { MetaError } from "./errors.ts";
import { createLimits, type Limits } from "./limits.ts";
import { readMessage, type TakenMessage } from "./messages.ts";
import { Phones, waIdOf } from "./phones.ts";
import { type Route, serveGraph } from "./server.ts";
import { type ApprovedTemplate, approved } from "./templates.ts";
import { createWebhookSender, type WebhookSender } from "./webhook-sender.ts";

const VERSION = "v26.0";
const account = {
  token: "double-token-EAAJB0123456789",
  phoneNumberId: "106540352242922",
  businessAccountId: "102290129340398",
  appSecret: "5f0c1e0b3d9a47d2a1b86e54c7f90d23",
  verifyToken: "double-verify-token",
};

/** What goes wrong with one request: it is refused, it is taken and its answer is lost, or nothing is taken or answered. */
export type Fault = MetaError | "answer_lost" | "cut_off";

export interface WhatsAppDoubleOptions extends Partial<Limits> {
  clock?: Clock;
}

/**
 * Meta's Cloud API as far as Rubrica uses it, over HTTP on the loopback: takes and refuses messages as its documentation
 * says, keeps templates, and tells of messages by signed webhook calls. Phones are in the test's hand.
 */
export interface WhatsAppDouble extends AsyncDisposable {
  url: string;
  token: string;
  phoneNumberId: string;
  businessAccountId: string;
  appSecret: string;
  verifyToken: string;
  /** The variables by which a service reaches it. */
  environment: Readonly<Record<string, string>>;
  webhook: Pick<WebhookSender, "hold" | "letGo" | "told">;
  /** What was taken, in that order. */
  taken: readonly TakenMessage[];
  /** Tells of everything from now on, and of what came before, once the address answers the challenge. */
  subscribe(url: string): Promise<void>;
  /** As if it had been submitted and approved. @throws {MetaError} */
  approve(submission: unknown): void;
  /** How the requests for messages that come next go. */
  next(...faults: Fault[]): void;
  /** How each request goes of which `next` says nothing, from now on; it is taken where nothing is answered. */
  otherwise(faultOf: () => Fault | undefined): void;
  /** The signer reads the message. */
  read(wamid: string): void;
  /** The signer presses the quick reply with that label. */
  press(wamid: string, label: string): void;
  /** The signer writes a text. */
  write(phone: string, text: string): void;
  makeUnreachable(phone: string): void;
  /** From now on nothing tells whom it is about: no `from`, `wa_id` and `recipient_id`. */
  nameNobody(): void;
}

/** The templates that an account has. */
const createTemplates = () => {
  const known = new Map<string, ApprovedTemplate>();
  return {
    find: (name: string, language: string) => known.get(`${name}/${language}`),
    approve(submission: unknown): void {
      const template = approved(submission);
      known.set(`${template.name}/${template.language}`, template);
    },
    submitted(body: unknown): object {
      const template = approved(body);
      const key = `${template.name}/${template.language}`;
      if (known.has(key)) throw new MetaError(100, "there is already content in this language", { subcode: 2388024 });
      known.set(key, template);
      return { id: String(594_425_479_261_596 + known.size), status: "APPROVED", category: "UTILITY" };
    },
  };
};

/** Starts the double. */
export const startWhatsAppDouble = async (options: WhatsAppDoubleOptions = {}): Promise<WhatsAppDouble> => {
  const { clock = systemClock, perSecond = 80, pairBurst = 45 } = options;
  const sender = createWebhookSender(clock, account.appSecret);
  const limits = createLimits(clock, { perSecond, pairBurst });
  const phones = new Phones(clock, account, sender.tell);
  const templates = createTemplates();
  const faults: Fault[] = [];
  let otherwise = (): Fault | undefined => undefined;
  const messages: Route = (body) => {
    const fault = faults.shift() ?? otherwise();
    if (fault === "cut_off") return undefined;
    if (fault instanceof MetaError) throw fault;
    const message = readMessage(body, templates.find);
    limits.take(waIdOf(message.to));
    const { wamid, to } = phones.take(message);
    if (fault === "answer_lost") return undefined;
    const waId = phones.shownId(to);
    return {
      messaging_product: "whatsapp",
      contacts: [{ input: to, ...(waId === null ? {} : { wa_id: waId }) }],
      messages: [{ id: wamid, message_status: "accepted" }],
    };
  };
  const routes = new Map<string, Route>([
    [`POST /${VERSION}/${account.phoneNumberId}/messages`, messages],
    [`POST /${VERSION}/${account.businessAccountId}/message_templates`, templates.submitted],
  ]);
  const { url, close } = await serveGraph(account.token, routes);
  return {
    ...account,
    url,
    environment: environmentFor(url),
    webhook: sender,
    taken: phones.taken,
    subscribe: (target) => sender.subscribe(target, account.verifyToken),
    approve: templates.approve,
    next: (...more) => void faults.push(...more),
    otherwise(faultOf) {
      otherwise = faultOf;
    },
    read: (wamid) => phones.read(wamid),
    press: (wamid, label) => phones.press(wamid, label),
    write: (phone, text) => phones.write(phone, text),
    makeUnreachable: (phone) => phones.makeUnreachable(phone),
    nameNobody: () => phones.nameNobody(),
    async [Symbol.asyncDispose]() {
      await sender.close();
      await close();
    },
  };
};

const environmentFor = (url: string): Record<string, string> => ({
  MESSAGING: "whatsapp",
  WHATSAPP_BASE_URL: url,
  WHATSAPP_GRAPH_VERSION: VERSION,
  WHATSAPP_TOKEN: account.token,
  WHATSAPP_PHONE_NUMBER_ID: account.phoneNumberId,
  WHATSAPP_BUSINESS_ACCOUNT_ID: account.businessAccountId,
  WHATSAPP_APP_SECRET: account.appSecret,
  WHATSAPP_VERIFY_TOKEN: account.verifyToken,
});
