import { MessagingError } from "../port.ts";

/** What one of Meta's error codes means for a message. */
export interface WhatsAppErrorMeaning {
  /** For the event log. */
  reason: string;
  /** Whether it is about this message or this phone, so that trying again is of no use. */
  permanent: boolean;
}

const later = (reason: string): WhatsAppErrorMeaning => ({ reason, permanent: false });
const forGood = (reason: string): WhatsAppErrorMeaning => ({ reason, permanent: true });

/**
 * Meta's codes ("Error codes" of the Cloud API's documentation) that a message may meet. What only the operator can set
 * right (a token, a template, a payment) is tried later: it may be set right meanwhile. docs/whatsapp.md has the table.
 */
export const WHATSAPP_ERRORS: ReadonlyMap<number, WhatsAppErrorMeaning> = new Map([
  [0, later("not_authorized")],
  [1, later("whatsapp_failed")],
  [2, later("whatsapp_busy")],
  [3, later("not_permitted")],
  [4, later("rate_limited")],
  [10, later("not_permitted")],
  [33, later("sender_unknown")],
  [100, forGood("request_refused")],
  [190, later("token_expired")],
  [368, later("policy_blocked")],
  [80007, later("rate_limited")],
  [130429, later("rate_limited")],
  [130472, forGood("in_experiment")],
  [130497, forGood("country_restricted")],
  [131000, later("whatsapp_failed")],
  [131005, later("not_permitted")],
  [131008, forGood("parameter_missing")],
  [131009, forGood("parameter_invalid")],
  [131016, later("whatsapp_busy")],
  [131021, forGood("recipient_is_sender")],
  [131026, forGood("unreachable")],
  [131031, later("account_locked")],
  [131037, later("display_name_missing")],
  [131042, later("payment_missing")],
  [131045, later("sender_unregistered")],
  [131047, later("outside_window")],
  [131048, later("spam_limited")],
  [131049, later("held_back_by_meta")],
  [131050, forGood("opted_out")],
  [131051, forGood("type_unsupported")],
  [131056, later("too_fast_to_phone")],
  [131057, later("maintenance")],
  [132000, later("template_differs")],
  [132001, later("template_unknown")],
  [132005, forGood("text_too_long")],
  [132007, forGood("text_against_policy")],
  [132012, later("template_differs")],
  [132015, later("template_paused")],
  [132016, later("template_disabled")],
  [132018, forGood("parameter_invalid")],
  [133000, later("sender_unregistered")],
  [133004, later("whatsapp_busy")],
  [133005, later("sender_unregistered")],
  [133006, later("sender_unregistered")],
  [133008, later("sender_unregistered")],
  [133009, later("sender_unregistered")],
  [133010, later("sender_unregistered")],
  [133015, later("sender_unregistered")],
  [133016, later("rate_limited")],
  [134011, later("payment_missing")],
  [135000, forGood("request_refused")],
]);

/** A permission is missing: Meta keeps a hundred codes for it. */
const PERMISSION_CODES = { from: 200, to: 299 };
/** Of code 100: there is no such sender, or the token may not use it. */
const NO_SUCH_OBJECT_SUBCODE = 33;

/** What the code says. One that is not known is tried later: most new ones are limits. */
export const meaningOf = (code: number, subcode?: number): WhatsAppErrorMeaning => {
  if (code === 100 && subcode === NO_SUCH_OBJECT_SUBCODE) return later("sender_unknown");
  if (code >= PERMISSION_CODES.from && code <= PERMISSION_CODES.to) return later("not_permitted");
  return WHATSAPP_ERRORS.get(code) ?? later(`whatsapp_error_${Math.abs(Math.trunc(code))}`);
};

/** The refusal that the code is, with the pause that was asked for. */
export const refusalOf = (code: number, subcode?: number, pauseMs?: number): MessagingError => {
  const { reason, permanent } = meaningOf(code, subcode);
  return new MessagingError(reason, permanent, pauseMs);
};
