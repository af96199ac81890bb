import { callOf, pressedValue, statusValue, textValue } from "@rubrica/test-kit/whatsapp-double";
import { opaqueOf, payloadOf } from "../../src/whatsapp/marks.ts";

export const sender = { businessAccountId: "102290129340398", phoneNumberId: "106540352242922" };
const from = "15550783881";
const at = 1_795_273_440;

/** A message and what Meta tells of it, in the order in which it happens. `values`: each as a call may hold it. */
export interface Story {
  name: string;
  wamid: string;
  messageId: string;
  values: readonly object[];
}

type Status = Parameters<typeof statusValue>[1];
const unreachable = { failed: { code: 131026, title: "Message undeliverable" } };
const rateLimited = { failed: { code: 130429, title: "Rate limit hit" } };

const story = (
  name: string,
  messageId: string,
  statuses: readonly Status[],
  presses: readonly ("continue" | "no_continue")[] = [],
  { waId = "5491122334455", marked = true }: { waId?: string | null; marked?: boolean } = {},
): Story => {
  const wamid = `wamid.${Buffer.from(`5491122334455/${messageId}`).toString("base64")}`;
  const opaque = marked ? opaqueOf(messageId) : null;
  const phone = { wamid: "wamid.HBgNNTQ5MTEyMjMzNDQ1NRUCABIYFDNBMjk", at, waId, from };
  const labels = { continue: "Continuar", no_continue: "No continuar" };
  return {
    name,
    wamid,
    messageId,
    values: [
      ...statuses.map((status, index) => statusValue({ wamid, at: at + index, waId, opaque }, status)),
      ...presses.map((answer, index) =>
        pressedValue(
          { ...phone, at: at + 60 + index },
          { wamid, payload: payloadOf(answer, messageId), label: labels[answer] },
        ),
      ),
    ],
  };
};

/** What becomes of messages. Each is of a signer of its own. */
export const stories: readonly Story[] = [
  story("sent, delivered, read, answered", "m-1", ["sent", "delivered", "read"], ["continue"]),
  story("read without word of its delivery", "m-2", ["sent", "read"]),
  story("refused, then continued", "m-3", ["sent", "delivered"], ["no_continue", "continue"]),
  story("continued, then refused", "m-12", ["sent", "delivered"], ["continue", "no_continue"]),
  story("pressed twice", "m-4", ["sent", "delivered", "read"], ["continue", "continue"]),
  story("unreachable", "m-5", [unreachable]),
  story("taken, then unreachable", "m-6", ["sent", unreachable]),
  story("to be tried again", "m-7", ["sent", rateLimited]),
  story("without numbers", "m-8", ["sent", "delivered"], ["continue"], { waId: null }),
  story("by another number than was asked", "m-9", ["sent", "delivered"], ["continue"], { waId: "541122334455" }),
  story("without our mark", "m-10", ["sent", "delivered", "read"], ["no_continue"], { marked: false }),
  story("nothing was told of", "m-11", []),
];

const strange = { wamid: "wamid.of-nobody", at, waId: "16505551234", opaque: "crm/17" };
const phone = { wamid: "wamid.of-the-phone", at, waId: "5491122334455", from };
const inbound = (message: object) => ({
  contacts: [{ profile: { name: "Ana Paz" }, wa_id: phone.waId }],
  messages: [{ from: phone.waId, id: "wamid.x", timestamp: String(at), ...message }],
});

/** What else Meta's documentation shows in the field `messages`: nothing of ours. */
export const others: readonly object[] = [
  statusValue(strange, "delivered"),
  { statuses: [{ id: "wamid.y", status: "deleted", timestamp: String(at) }] },
  textValue(phone, "Hola, ¿qué es esto?"),
  inbound({ type: "reaction", reaction: { message_id: "wamid.z", emoji: "👍" } }),
  inbound({ type: "image", image: { caption: "firma", mime_type: "image/jpeg", sha256: "81d3…", id: "17" } }),
  inbound({ type: "location", location: { latitude: -34.6, longitude: -58.4 } }),
  inbound({ type: "contacts", contacts: [{ name: { formatted_name: "Ben" }, phones: [{ phone: "+16505551234" }] }] }),
  inbound({ type: "interactive", interactive: { type: "button_reply", button_reply: { id: "17", title: "Sí" } } }),
  inbound({ type: "button", button: { payload: "another system's", text: "Sí" }, context: { from, id: "wamid.q" } }),
  inbound({ type: "unsupported", errors: [{ code: 131051, title: "Message type unknown" }] }),
  inbound({
    type: "system",
    system: { body: "changed their number", wa_id: "5491199999999", type: "user_changed_number" },
  }),
  { errors: [{ code: 130429, title: "Rate limit hit", message: "Rate limit hit" }] },
];

/** A call that holds these values. */
export const call = (values: readonly object[]): Buffer => Buffer.from(JSON.stringify(callOf(sender, values)));
