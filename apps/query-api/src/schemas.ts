import { BUSY_TEXT, NOT_YET_TEXT } from "@rubrica/http";
import { z } from "zod";
import { texts } from "./texts.ts";

const id = "0198c1c5-2f2b-7cc0-9d52-1f0f5a4b7c11";

/** The path of a document: its own id, or a signer's. */
export const IdParams = z.object({
  id_seguimiento: z
    .string()
    .describe("The document's id, or a signer's `id_custom`.")
    .meta({ examples: [id] }),
});

export const ErrorBody = z.object({ error: z.string() });

/** An error body with the very text that goes out. */
export const errorOf = (body: { error: string }, description: string) =>
  ErrorBody.meta({ examples: [body] }).describe(description);

/** What is answered while the read models are behind. */
export const notYet = errorOf(
  { error: NOT_YET_TEXT },
  "An answer would leave out what was written before; `retry-after` tells when to come again.",
);

/** What is answered while the read models are behind, or too many reports are being made. */
export const notYetOrBusy = ErrorBody.meta({ examples: [{ error: NOT_YET_TEXT }, { error: BUSY_TEXT }] }).describe(
  "An answer would leave out what was written before, or too much is being done; `retry-after` tells when to come again.",
);

/** What is answered of a document whose people were erased. */
export const erased = errorOf(texts.erased, "Its people were erased, for good, and its files with them.");

const signed_at = z.int().nullable().describe("UNIX time in seconds; null before.");

export const DocumentStatus = z.object({
  is_finished: z.boolean().describe("Every signer has signed."),
  signed_at,
});

export const SignerStatus = z.object({
  is_finished: z.boolean().describe("This signer has signed."),
  signed_at,
  is_finished_mission: z.boolean().describe("Every signer of the document has signed."),
});

export const Status = z
  .union([SignerStatus, DocumentStatus])
  .meta({
    examples: [
      { is_finished: true, signed_at: 1_795_187_045 },
      { is_finished: true, signed_at: 1_795_187_045, is_finished_mission: false },
    ],
  })
  .describe("By document id, or by `id_custom` with `is_finished_mission`.");

const LogEntryBody = z.object({
  event: z.string(),
  signer: z.string().nullable().describe("The signer's name; null once forgotten."),
  phone: z.string().nullable().describe("The phone the signer is reached at; null once forgotten."),
  timestamp: z.string().describe("ISO 8601, UTC."),
  attempt: z.int().optional(),
  result: z.enum(["approved", "rejected"]).optional(),
  link: z.string().optional().describe("The image that was validated, for this key."),
});

export const EventLogBody = z
  .object({
    created_at: z.string().describe("ISO 8601, UTC."),
    autenticacion: z.enum(["biometric", "photos", "link"]),
    id_seguimiento: z.string(),
    events: z.array(LogEntryBody),
  })
  .meta({
    examples: [
      {
        created_at: "2026-11-21T15:04:05.000Z",
        autenticacion: "link",
        id_seguimiento: id,
        events: [
          {
            event: "document_signed",
            signer: "Ana Paz",
            phone: "5491122334455",
            timestamp: "2026-11-21T15:09:41.120Z",
          },
        ],
      },
    ],
  })
  .describe("What happened to the document, in order.");
export type LogEntryBody = z.infer<typeof LogEntryBody>;

const photo = z.string().nullable().describe("A data URI of a base64 JPEG, or null when there is none.");

const SignerMetadata = z.object({
  id_custom: z.string().nullable(),
  nombre: z.string().nullable(),
  dni: z.string().nullable(),
  celular: z.string().nullable(),
  hora_firma: z.string().nullable().describe("When the signer signed, ISO 8601; null before."),
  wpp_sended_at: z.string().nullable().describe("When the message was sent, ISO 8601; null before."),
  selfie: photo,
  dni_frontal: photo,
  dni_trasera: photo,
  garabato: photo.describe("What the signer drew, on white; a data URI of a base64 JPEG, or null."),
});
export type SignerMetadata = z.infer<typeof SignerMetadata>;

export const MetadataBody = z
  .object({ id_seguimiento: z.string(), signers: z.array(SignerMetadata) })
  .meta({
    examples: [
      {
        id_seguimiento: id,
        signers: [
          {
            id_custom: "0198c1c5-2f2b-7cc0-9d52-1f0f5a4b7c12",
            nombre: "Ana Paz",
            dni: "30123456",
            celular: "5491122334455",
            hora_firma: "2026-11-21T15:09:41.120Z",
            wpp_sended_at: "2026-11-21T15:04:06.310Z",
            selfie: null,
            dni_frontal: null,
            dni_trasera: null,
            garabato: "data:image/jpeg;base64,/9j/4AAQSkZJRg==",
          },
        ],
      },
    ],
  })
  .describe("The document's signers, in the order of the request.");

/** The path of one photo of a signer. */
export const PhotoParams = IdParams.extend({
  id_custom: z.string().describe("The signer's `id_custom`."),
  kind: z.string().describe("`selfie`, `dni_frontal` or `dni_trasera`."),
  attempt: z.string().describe("Which upload, from 1."),
});
