import { sanitizeIdNumber, sanitizePhone } from "@rubrica/identity";
import { z } from "zod";
import { expiryFields } from "../fields/expiry.ts";
import { reminderFields } from "../fields/reminders.ts";
import { lineOfText } from "../fields/text.ts";
import { webhookHeaders, webhookUrl } from "../fields/webhook.ts";
import { optional } from "../schemas.ts";
import { bulkExample } from "./examples.ts";

const MAX_NAME_LENGTH = 50;
const MAX_ID_LENGTH = 256;

/** Text that is what `sanitize` makes of it. */
const sanitized = <Key extends string>(
  key: Key,
  sanitize: (raw: string) => ({ ok: true } & Record<Key, string>) | { ok: false; message: string },
) =>
  z.string().transform((raw, context) => {
    const result = sanitize(raw);
    if (result.ok) return result[key];
    context.addIssue({ code: "custom", message: result.message });
    return z.NEVER;
  });

const ID_FAULT = `must be a text of at most ${MAX_ID_LENGTH} characters, or a number`;

/** Numbers that JSON carries unchanged: others would come back as another id. */
const exactNumber = z.number().refine((value) => !Number.isInteger(value) || Number.isSafeInteger(value), ID_FAULT);

const Id = z
  .union([z.string().max(MAX_ID_LENGTH, ID_FAULT), exactNumber], ID_FAULT)
  .nullish()
  .describe("Your own identifier of the signer, echoed as id_custom; the phone when left out");

/** The fields of a row that every signer has. */
export const BulkSigner = z.object({
  id: Id,
  "nombre y apellido": lineOfText(MAX_NAME_LENGTH).describe("At most 50 characters, all of them printable"),
  dni: sanitized("idNumber", sanitizeIdNumber).describe("Identity document number"),
  msg: sanitized("phone", sanitizePhone).describe("Phone, in international format"),
});

/** A variable of the template. */
export const Variable = z.union(
  [z.string(), z.number(), z.boolean(), z.null()],
  "must be a text, a number, a boolean or null",
);

const Row = BulkSigner.extend({
  email: Variable.optional().meta({ description: "E-mail address, used where the phone can't be reached" }),
})
  .catchall(Variable)
  .describe("A signer; every key is also a variable of the template");

const wholeNumber = z
  .number()
  .refine((value) => Number.isSafeInteger(value) && value >= 0, "must be a whole number from 0")
  .meta({ type: "integer", minimum: 0 });

const Placement = z.object({
  page: wholeNumber.describe("Page of the signature, from 1; 0 means all pages"),
  position_x: wholeNumber.describe("Pixels (72 per inch) from the page's left edge"),
  position_y: wholeNumber.describe("Pixels (72 per inch) from the page's top edge"),
});

/** The body of `POST /api/sendCargaMasiva`; unknown fields are ignored. */
export const BulkBody = z
  .object({
    document_type: z.literal("docx"),
    document: z.string().min(1).describe("The DOCX as Base64, or its public http(s) URL"),
    request_photos: optional(z.boolean()).describe("Whether signers are asked for photos; false when left out"),
    validate_photos: optional(z.boolean()).describe("PRO plan only; true when left out"),
    firmante: Placement.describe("Where the signature goes"),
    df: z.array(Row).min(1).describe("One object per signer"),
    ...expiryFields,
    ...reminderFields,
    webhook_url: optional(webhookUrl(true)).describe("Where callbacks go"),
    webhook_key: optional(webhookHeaders).describe("Sent as HTTP headers with each webhook"),
  })
  .meta({ examples: [bulkExample] });

/** A body but for what is in its rows. */
export const BulkFields = BulkBody.extend({ df: z.array(z.unknown()).min(1) });

/** What fills the template: every key of a row, as it was given. */
export type RowVariables = Readonly<Record<string, z.infer<typeof Variable>>>;
/** A checked signer. */
export type BulkSigner = z.infer<typeof BulkSigner>;
/** A checked body: its rows' signers, in their order. */
export type CheckedBulk = Omit<z.infer<typeof BulkFields>, "df"> & { df: readonly BulkSigner[] };
