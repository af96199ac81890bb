/** Where notices are from. */
export interface Sender {
  businessAccountId: string;
  phoneNumberId: string;
}

/** A webhook call's body, as Meta documents it, with so many `values` in one. */
export const callOf = ({ businessAccountId, phoneNumberId }: Sender, values: readonly object[]): object => ({
  object: "whatsapp_business_account",
  entry: values.map((value) => ({
    id: businessAccountId,
    changes: [
      {
        value: {
          messaging_product: "whatsapp",
          metadata: { display_phone_number: "15550783881", phone_number_id: phoneNumberId },
          ...value,
        },
        field: "messages",
      },
    ],
  })),
});

/** What every status has. */
export interface StatusOf {
  wamid: string;
  /** UNIX time in seconds. */
  at: number;
  /** Who it was for, as WhatsApp knows them; null where it is kept back (user names). */
  waId: string | null;
  opaque: string | null;
}

/** A status of a message: `sent`, `delivered` and `read` with conversation and price, `failed` with the error. */
export const statusValue = (
  { wamid, at, waId, opaque }: StatusOf,
  status: "sent" | "delivered" | "read" | { failed: { code: number; title: string } },
): object => {
  const told = {
    id: wamid,
    timestamp: String(at),
    ...(waId === null ? {} : { recipient_id: waId }),
    ...(opaque === null ? {} : { biz_opaque_callback_data: opaque }),
  };
  if (typeof status === "object") {
    const { code, title } = status.failed;
    const error = { code, title, message: title, error_data: { details: `${title} to ${waId}` } };
    const href = "https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/";
    return { statuses: [{ ...told, status: "failed", errors: [{ ...error, href }] }] };
  }
  const conversation = { id: "6ceb9d929c9bdc4f90967a32f8639b4f", origin: { type: "utility" } };
  const pricing = { billable: true, pricing_model: "PMP", category: "utility", type: "regular" };
  return { statuses: [{ ...told, status, ...(status === "read" ? {} : { conversation, pricing }) }] };
};

/** What a signer's phone sends. */
export interface FromPhone {
  /** Of the signer's own message. */
  wamid: string;
  at: number;
  waId: string | null;
  /** The business's own number. */
  from: string;
}

const inbound = ({ wamid, at, waId }: FromPhone, message: object): object => ({
  ...(waId === null ? {} : { contacts: [{ profile: { name: "Ana Paz" }, wa_id: waId }] }),
  messages: [{ ...(waId === null ? {} : { from: waId }), id: wamid, timestamp: String(at), ...message }],
});

/** A quick reply that was pressed. */
export const pressedValue = (phone: FromPhone, pressed: { wamid: string; payload: string; label: string }): object =>
  inbound(phone, {
    context: { from: phone.from, id: pressed.wamid },
    type: "button",
    button: { payload: pressed.payload, text: pressed.label },
  });

/** A text that a signer wrote. */
export const textValue = (phone: FromPhone, body: string): object => inbound(phone, { type: "text", text: { body } });
