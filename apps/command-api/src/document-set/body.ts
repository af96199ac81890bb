import { checkIdNumber, sanitizePhone } from "@rubrica/identity";
import { z } from "zod";
import { jsonFault } from "./json-limits.ts";
import { webhookHeadersFault } from "./webhook-headers.ts";

const MAX_NAME_LENGTH = 50;
const MAX_TITLE_LENGTH = 200;
const MAX_URL_LENGTH = 2_000;
const MAX_COORDINATE = 100_000;

/** What the limits of the service let through. */
export interface BodyLimits {
  signers: number;
  customParametersBytes: number;
}

/** What may be left out may also be null. */
const optional = <S extends z.ZodType>(schema: S) => schema.nullish().transform((value) => value ?? undefined);

const text = (maxLength: number) =>
  z
    .string()
    .refine((value) => value.trim() !== "", "must not be empty")
    .refine(
      (value) => value.length <= 2 * maxLength && [...value].length <= maxLength,
      `must have at most ${maxLength} characters`,
    );

const phone = z.string().transform((raw, context) => {
  const result = sanitizePhone(raw);
  if (result.ok) return result.phone;
  context.addIssue({ code: "custom", message: result.message });
  return z.NEVER;
});

const coordinate = z.int().min(0).max(MAX_COORDINATE);

/** A check over several fields that runs whatever the others are like, so that all faults are named at once. */
const whenSound = (...fields: string[]) => ({
  when: ({ value, issues }: z.core.ParsePayload) =>
    typeof value === "object" &&
    value !== null &&
    !issues.some(({ path }) => path !== undefined && fields.includes(String(path[0]))),
});

const Signer = z
  .object({
    name: text(MAX_NAME_LENGTH).describe("At most 50 characters"),
    dni: z.string().describe("Identity document number"),
    dni_country: optional(z.string().max(20)).describe("ISO country code; AR, UY, CL and MX have rules of their own"),
    phone: phone.describe("International format"),
    position: optional(z.string().max(20)).describe("Place in the signing order"),
    position_x: optional(coordinate).describe("Pixels (72 per inch) from the page's left edge"),
    position_y: optional(coordinate).describe("Pixels (72 per inch) from the page's top edge"),
    page: optional(z.int().min(1)).describe("Page of the signature, from 1"),
  })
  .refine(({ position_x, position_y }) => (position_x === undefined) === (position_y === undefined), {
    ...whenSound("position_x", "position_y"),
    path: ["position_x"],
    message: "position_x and position_y go together",
  })
  .superRefine((signer, context) => {
    const fault = idNumberOf(signer);
    if (!fault.ok) context.addIssue({ code: "custom", path: ["dni"], message: fault.message });
  });

/** The signer's ID number by the rules of its country, else of the phone's. */
export const idNumberOf = (signer: { dni: string; dni_country?: string | undefined; phone: string }) =>
  checkIdNumber({
    idNumber: signer.dni,
    phone: signer.phone,
    ...(signer.dni_country === undefined ? {} : { country: signer.dni_country }),
  });

const webUrl = z
  .url({ protocol: /^https?$/, error: "must be an http or https URL" })
  .max(MAX_URL_LENGTH, `must have at most ${MAX_URL_LENGTH} characters`);

const webhookHeaders = z.record(z.string(), z.string()).superRefine((headers, context) => {
  const fault = webhookHeadersFault(headers);
  if (fault) context.addIssue({ code: "custom", message: fault });
});

const customParameters = (maxBytes: number) =>
  z.record(z.string(), z.unknown()).superRefine((value, context) => {
    const fault = jsonFault(value, maxBytes);
    if (fault) context.addIssue({ code: "custom", message: fault });
  });

/** The body of `POST /api/v2/documentSet`; unknown fields are ignored. */
export const documentSetBody = (limits: BodyLimits) =>
  z.object({
    campaign_id: optional(z.int()).describe("A campaign of the account's"),
    document: z.string().describe("The PDF as Base64"),
    firma_en_todas_las_hojas: optional(z.boolean()).describe("Whether the signature is applied on every page"),
    document_name: optional(text(MAX_TITLE_LENGTH)),
    wpp_business_name: optional(text(MAX_TITLE_LENGTH)).describe("Company name shown in the message to the signer"),
    request_photos: optional(z.boolean()),
    validate_photos: optional(z.boolean()).describe("PRO plan only"),
    custom_parameters: optional(customParameters(limits.customParametersBytes)).describe("Echoed in webhooks"),
    webhook_url: optional(webUrl),
    webhook_key: optional(webhookHeaders).describe("Sent as HTTP headers with each webhook"),
    wpp: optional(z.boolean()).describe("Whether to send the message to the signer; true when left out"),
    datos_firmantes: z.array(Signer).min(1).max(limits.signers),
  });

/** A parsed body. */
export type DocumentSetBody = z.infer<ReturnType<typeof documentSetBody>>;
/** A parsed signer of a body. */
export type SignerInput = DocumentSetBody["datos_firmantes"][number];
