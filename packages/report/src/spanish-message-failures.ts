const WAIT = "el proveedor pidió esperar";
const PROVIDER_DOWN = "el proveedor no funcionaba";
const NOT_SET_UP = "el servicio no estaba autorizado o bien configurado ante el proveedor";
const TEXT_REFUSED = "el proveedor no aceptó el texto";
const NO_EMAIL = "la dirección de correo no existe o no recibe";

/** Why a message was not taken, by the reasons of events; an SMS provider may give others. */
export const messageFailures: Readonly<Record<string, string>> = {
  unreachable: "el teléfono no puede recibirlo",
  country_restricted: "no se permite enviar a ese país",
  in_experiment: "WhatsApp no envía a ese teléfono",
  recipient_is_sender: "el teléfono es el del propio servicio",
  opted_out: "la persona no acepta mensajes del servicio",
  held_back_by_meta: "WhatsApp no lo entregó, para no molestar a la persona",
  outside_window: "pasaron más de 24 horas desde el último mensaje de la persona",
  address_invalid: NO_EMAIL,
  mailbox_unknown: NO_EMAIL,
  mailbox_busy: "el buzón de correo no recibía por el momento",
  message_refused: "el servidor de correo no lo aceptó",
  message_too_large: "el servidor de correo no lo aceptó por su tamaño",
  refused_by_policy: "el servidor de correo no lo aceptó",
  rate_limited: WAIT,
  spam_limited: WAIT,
  too_fast_to_phone: WAIT,
  provider_busy: WAIT,
  whatsapp_busy: WAIT,
  maintenance: PROVIDER_DOWN,
  whatsapp_failed: PROVIDER_DOWN,
  provider_bad_answer: PROVIDER_DOWN,
  provider_unreachable: "no se pudo conectar con el proveedor",
  provider_tls_failed: "no se pudo conectar con el proveedor",
  provider_timeout: "el proveedor no respondió a tiempo",
  not_authorized: NOT_SET_UP,
  not_permitted: NOT_SET_UP,
  sender_unknown: NOT_SET_UP,
  sender_unregistered: NOT_SET_UP,
  sender_refused: NOT_SET_UP,
  token_expired: NOT_SET_UP,
  account_locked: NOT_SET_UP,
  payment_missing: NOT_SET_UP,
  display_name_missing: NOT_SET_UP,
  policy_blocked: NOT_SET_UP,
  provider_set_up_wrongly: NOT_SET_UP,
  text_too_long: TEXT_REFUSED,
  text_against_policy: TEXT_REFUSED,
};
