import { checkIdNumber, sanitizePhone } from "@rubrica/identity";
import { isPrivateLiteral } from "@rubrica/outbound";
import { z } from "zod";
import { optional } from "../optional.ts";
import { lineOfText } from "../text.ts";
import { documentSetExample } from "./examples.ts";
import { expiryFields } from "./expiry.ts";
import { jsonFault } from "./json-limits.ts";
import { reminderFields } from "./reminders.ts";
import { webhookHeadersFault } from "./webhook-headers.ts";

/** Of a signer, in code points. */
export const MAX_NAME_LENGTH = 50;
const MAX_TITLE_LENGTH = 200;
const MAX_URL_LENGTH = 2_000;
const MAX_COORDINATE = 100_000;

/** What the limits of the service let through. */
export interface BodyLimits {
  signers: number;
  customParametersBytes: number;
  /** Whether webhooks may go to private addresses. */
  allowPrivateUrls: boolean;
}

/** A phone, which becomes its digits. */
export const phone = z.string().transform((raw, context) => {
  const result = sanitizePhone(raw);
  if (result.ok) return result.phone;
  context.addIssue({ code: "custom", message: result.message });
  return z.NEVER;
});

const coordinate = z.int().min(0).max(MAX_COORDINATE);

/** Where a signature is to go. */
const placementFields = {
  position_x: optional(coordinate).describe("Pixels (72 per inch) from the page's left edge"),
  position_y: optional(coordinate).describe("Pixels (72 per inch) from the page's top edge"),
  page: optional(z.int().min(1)).describe(
    "Page of the signature, from 1; the last when left out. Without coordinates the signature stands where the page is " +
      "free, from its bottom left; without a page either, on a page before when the last one has no room, then on a page " +
      "that is added for signatures",
  ),
};

/** The fields of a signer that say where their signature is to go, apart from the rest. */
export const PlacementFields = z.object({
  ...placementFields,
  /** Decides who comes first; what is wrong with it is not these fields' fault. */
  position: optional(z.string()).catch(undefined),
});

/** A check over several fields that runs whatever the others are like, so that all faults are named at once. */
const whenSound = (...fields: string[]) => ({
  when: ({ issues }: z.core.ParsePayload) =>
    !issues.some(({ path = [] }) => path.length === 0 || fields.includes(String(path[0]))),
});

const Signer = z
  .object({
    name: lineOfText(MAX_NAME_LENGTH).describe("At most 50 characters, all of them printable"),
    dni: z.string().describe("Identity document number"),
    dni_country: optional(z.string().max(20)).describe("ISO country code; AR, UY, CL and MX have rules of their own"),
    phone: phone.describe("International format"),
    email: z
      .unknown()
      .optional()
      .meta({ type: "string", format: "email", description: "Used where the phone can't be reached" }),
    position: optional(z.string().max(20)).describe(
      "Place in the signing order: those who are given the same one are asked together, those without one last, one after the other",
    ),
    ...placementFields,
  })
  .superRefine(
    ({ position_x: x, position_y: y }, context) => {
      const missing = x === undefined ? "position_x" : "position_y";
      if ((x === undefined) === (y === undefined)) return;
      context.addIssue({ code: "custom", path: [missing], message: "position_x and position_y go together" });
    },
    whenSound("position_x", "position_y"),
  )
  .superRefine(
    (signer, context) => {
      const fault = idNumberOf(signer);
      if (!fault.ok) context.addIssue({ code: "custom", path: ["dni"], message: fault.message });
    },
    whenSound("dni", "dni_country", "phone"),
  );

/** The names of a signer's fields. */
export const signerFields: readonly string[] = Object.keys(Signer.shape);

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

/** Where a webhook goes; an address that rules out by itself that it is reached is refused at once, without asking anybody. */
export const webhookUrl = (allowPrivateUrls: boolean) =>
  webUrl.refine((url) => allowPrivateUrls || !isPrivateLiteral(url), { error: "must not lead to a private address" });

/** What goes as headers with a webhook. */
export const webhookHeaders = z.record(z.string(), z.string()).superRefine((headers, context) => {
  const fault = webhookHeadersFault(headers);
  if (fault) context.addIssue({ code: "custom", message: fault });
});

const customParameters = (maxBytes: number) =>
  z.record(z.string(), z.unknown()).superRefine((value, context) => {
    const fault = jsonFault(value, maxBytes);
    if (fault) context.addIssue({ code: "custom", message: fault });
  });

const commonFields = (limits: BodyLimits) => ({
  campaign_id: optional(z.int()).describe("A campaign of the account's"),
  firma_en_todas_las_hojas: optional(z.boolean()).describe("Whether the signature is applied on every page"),
  document_name: optional(lineOfText(MAX_TITLE_LENGTH)).describe("Shown to signers; a placeholder when left out"),
  request_photos: optional(z.boolean()).describe("Whether signers are asked for photos; false when left out"),
  validate_photos: optional(z.boolean()).describe("PRO plan only; true when left out"),
  custom_parameters: optional(customParameters(limits.customParametersBytes)).describe("Echoed in webhooks"),
  webhook_url: optional(webhookUrl(limits.allowPrivateUrls)).describe("Where callbacks go"),
  webhook_key: optional(webhookHeaders).describe("Sent as HTTP headers with each webhook"),
  ...expiryFields,
  ...reminderFields,
  wpp: optional(z.boolean()).describe("Whether to send the message to the signer; true when left out"),
  datos_firmantes: z.array(Signer).min(1).max(limits.signers).describe("The signers; `urls[]` is in their order"),
});

/** The body of `POST /api/v2/documentSet`; unknown fields are ignored. */
export const documentSetBody = (limits: BodyLimits) =>
  z
    .object({
      document: z.string().describe("The PDF as Base64"),
      ...commonFields(limits),
      wpp_business_name: optional(lineOfText(MAX_TITLE_LENGTH)).describe("Company name shown in the message"),
    })
    .meta({ examples: [documentSetExample] });

/** The body of the legacy `POST /api/documentSet`: `wpp_business_name` is none of its fields. */
export const legacyDocumentSetBody = (limits: BodyLimits) =>
  z
    .object({
      document: z.string().describe("The PDF as Base64, or its public http(s) URL"),
      ...commonFields(limits),
    })
    .meta({ examples: [documentSetExample] });

/** A parsed body, of either version. */
export type DocumentSetBody = z.infer<ReturnType<typeof legacyDocumentSetBody>> & {
  wpp_business_name?: string | undefined;
};
/** A parsed signer of a body. */
export type SignerInput = DocumentSetBody["datos_firmantes"][number];
/** Where a signer's signature is to go, as far as the request says. */
export type PlacementInput = z.infer<typeof PlacementFields>;
