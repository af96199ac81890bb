import { consentOf, isToBeSigned, sign } from "@rubrica/domain";
import { SignatureMethod } from "@rubrica/events";
import { BadRequestError, type HttpServer, senderOf } from "@rubrica/http";
import { isTimeZone } from "@rubrica/identity";
import { z } from "zod";
import { contextOf, originOf } from "../context.ts";
import type { CommandApiDependencies } from "../dependencies.ts";
import { signatureExample } from "./examples.ts";
import { answering, refusalOf } from "./refusals.ts";
import { bodyErrors, commonErrors, refused, TokenParams } from "./schemas.ts";
import { sessionOf } from "./session.ts";
import { giveUpTurns } from "./turns.ts";

/** Larger drawings are refused before they are looked at. */
export const MAX_DRAWING_BYTES = 1_048_576;
const PREFIX = /^data:image\/(?:png|jpeg);base64,/;

const Body = z
  .object({
    garabato: z.string().describe("Data URI of a PNG or JPEG: the signature as drawn"),
    consent_version: z
      .string()
      .refine((version) => consentOf(version) !== undefined, "is no version of the consent")
      .describe("Of the text that was agreed to"),
    document_sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in lower-case hex")
      .describe("Of the PDF that was shown"),
    time_zone: z
      .string()
      .max(64)
      .refine(isTimeZone, "must be an IANA time zone")
      .nullish()
      .describe("The signer's IANA time zone"),
    signature_method: SignatureMethod.nullish().describe(
      "How the signature came to be: `drawn` by hand, or a name that was `typed`. Recorded as it is told",
    ),
  })
  .meta({ examples: [signatureExample] });

const Signed = z
  .object({ signed: z.literal(true) })
  .meta({ examples: [{ signed: true }] })
  .describe("The document is signed by this signer.");

const unreadable = () =>
  new BadRequestError([{ path: "garabato", message: "must be a PNG or JPEG with a drawing on it" }]);

/** The bytes of a `garabato` (data URI of a PNG or JPEG, Base64), or undefined when it is not one. */
export const drawingBytes = (dataUri: string): Buffer | undefined => {
  const prefix = PREFIX.exec(dataUri)?.[0];
  if (prefix === undefined || dataUri.length > prefix.length + (MAX_DRAWING_BYTES / 3) * 4 + 4) return undefined;
  const base64 = dataUri.slice(prefix.length);
  const bytes = Buffer.from(base64, "base64");
  return bytes.toString("base64") === base64 && bytes.length > 0 ? bytes : undefined;
};

/** `POST /api/signing/{token}/sign`: signing twice signs once and answers the same. */
export const signRoute = (app: HttpServer, dependencies: CommandApiDependencies): void => {
  const { handlers, files, images } = dependencies;
  app.post(
    "/api/signing/:token/sign",
    {
      bodyLimit: 2 * MAX_DRAWING_BYTES,
      schema: {
        tags: ["signing"],
        operationId: "signDocument",
        summary: "Sign the document",
        description: "Consents to and signs what was shown. Signing twice signs once, and answers the same.",
        params: TokenParams,
        body: Body,
        response: {
          200: Signed,
          ...bodyErrors,
          ...commonErrors,
          409: refused(
            ...(["document_ended", "document_changed", "document_being_prepared", "photos_missing"] as const).map(
              refusalOf,
            ),
          ),
        },
      },
    },
    async (request) => {
      const { documentId, accountId, document, signer, linkNumber } = await sessionOf(
        dependencies,
        request.params.token,
      );
      const { garabato, consent_version, document_sha256, time_zone, signature_method } = request.body;
      const what = { signerId: signer.signerId, linkNumber, documentSha256: document_sha256 };
      // Nothing is stored for a signature that will not be taken, however often it is sent.
      if (!(await answering((async () => isToBeSigned(document, what))()))) return { signed: true as const };
      const bytes = drawingBytes(garabato);
      const read = bytes && (await images.drawing(bytes, senderOf(request).name));
      if (!bytes || !read) throw unreadable();
      const drawing = await files.put(documentId, bytes, read.mediaType);
      const drawingJpeg = await files.put(documentId, read.jpeg, "image/jpeg");
      const command = {
        ...what,
        consentVersion: consent_version,
        drawing,
        drawingJpeg,
        timeZone: time_zone ?? null,
        method: signature_method ?? null,
        origin: originOf(request),
      };
      const context = contextOf(request, "signer", accountId);
      await answering(handlers.documents.handle(documentId, sign, command, context));
      await giveUpTurns(handlers, { documentId, signerIds: [signer.signerId] }, context, request.log);
      return { signed: true as const };
    },
  );
};
