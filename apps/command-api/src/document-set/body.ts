import { z } from "zod";
import { customParameters } from "../fields/custom-parameters.ts";
import { expiryFields } from "../fields/expiry.ts";
import { reminderFields } from "../fields/reminders.ts";
import { SignerInput } from "../fields/signer.ts";
import { lineOfText } from "../fields/text.ts";
import { webhookHeaders, webhookUrl } from "../fields/webhook.ts";
import { optional } from "../schemas.ts";
import { documentSetExample } from "./examples.ts";

const MAX_TITLE_LENGTH = 200;

/** What the limits of the service let through. */
export interface BodyLimits {
  signers: number;
  customParametersBytes: number;
  /** Whether webhooks may go to private addresses. */
  allowPrivateUrls: boolean;
}

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
  datos_firmantes: z.array(SignerInput).min(1).max(limits.signers).describe("The signers; `urls[]` is in their order"),
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

/** The body of the legacy `POST /api/documentSet`: it has no field `wpp_business_name`. */
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
