import type { AcceptedDocument } from "@rubrica/commands";
import { BUSY_TEXT, type Fault, HttpError } from "@rubrica/http";
import { z } from "zod";
import type { CommandApiDependencies } from "../dependencies.ts";
import { errorText, unsupportedEncoding } from "../schemas.ts";
import { documentSetAnswerExample, legacyAnswerExample } from "./examples.ts";

const linkFields = {
  link: z.url().describe("Personal signing link; works before any message is sent"),
  name: z.string(),
  dni: z.string().describe("Without dots and hyphens"),
  contact: z.string().describe("The phone, digits only"),
  method: z.literal("wpp"),
  id_custom: z.string(),
};

const commonFields = {
  id_seguimiento: z.string(),
  created_at: z.int().describe("UNIX time in seconds"),
};

/** The answer to a current document request. */
export const DocumentSetAnswer = z
  .object({
    ...commonFields,
    has_queued_signers: z.boolean(),
    urls: z.array(
      z.object({
        ...linkFields,
        queued: z.boolean().describe("Whether the signer's message is held back"),
        queued_behind: z.string().nullable().describe("id_seguimiento of the document that holds the phone's turn"),
      }),
    ),
  })
  .meta({ examples: [documentSetAnswerExample] })
  .describe("The document was accepted; links are in the order of the request's signers.");

/** The answer to a legacy document request. */
export const LegacyDocumentSetAnswer = z
  .object({ ...commonFields, urls: z.array(z.object(linkFields)) })
  .meta({ examples: [legacyAnswerExample] })
  .describe("The document was accepted; links are in the order of the request's signers.");

type Current = z.infer<typeof DocumentSetAnswer>;
type Legacy = z.infer<typeof LegacyDocumentSetAnswer>;
type Dependencies = Pick<CommandApiDependencies, "tokens" | "publicUrl">;

/**
 * The answer to a current document request, made of what its document's events tell.
 * @throws {HttpError} 409 when its signers were forgotten since a first answer.
 */
export const currentAnswer = (accepted: AcceptedDocument, dependencies: Dependencies): Current => ({
  ...commonOf(accepted),
  has_queued_signers: accepted.turns.some(({ queued }) => queued),
  urls: accepted.document.signers.map((signer, index) => {
    const turn = accepted.turns.find(({ signerId }) => signerId === signer.signerId);
    const behind = turn?.queued ? turn.behindDocumentId : null;
    return { ...linkOf(accepted, signer, index, dependencies), queued: turn?.queued === true, queued_behind: behind };
  }),
});

/** The answer to a legacy document request. @throws {HttpError} 409 as for a current one. */
export const legacyAnswer = (accepted: AcceptedDocument, dependencies: Dependencies): Legacy => ({
  ...commonOf(accepted),
  urls: accepted.document.signers.map((signer, index) => linkOf(accepted, signer, index, dependencies)),
});

const commonOf = ({ document, createdAt }: AcceptedDocument) => ({
  id_seguimiento: document.documentId,
  created_at: Math.floor(Date.parse(createdAt) / 1000),
});

/** @param index of the signer in the request: their link is made of it */
const linkOf = (
  { document: { documentId } }: AcceptedDocument,
  { personRequested: person }: AcceptedDocument["document"]["signers"][number],
  index: number,
  { tokens, publicUrl }: Dependencies,
) => {
  if (!person) throw new HttpError(409, { error: "The request was made before, and its document was erased since" });
  const { name, idNumber, phone, idCustom } = person;
  const link = `${publicUrl}/s/${tokens.make(documentId, index)}`;
  return { link, name, dni: idNumber, contact: phone, method: "wpp" as const, id_custom: idCustom };
};

/** The 400 of a document request: one fixed text, and every fault by the integrator's path. */
export const badDocumentRequest = (details: readonly Fault[]) => ({
  error: ["Missing data or error information"],
  details,
});

const BadDocumentRequest = z
  .object({
    error: z.array(z.string()),
    details: z.array(z.object({ path: z.string(), message: z.string() })),
  })
  .meta({ examples: [badDocumentRequest([{ path: "datos_firmantes[0].dni", message: "is required" }])] })
  .describe("Something is missing or wrong; `details` names every fault by its path, without the value.");

/** The errors of document requests, by status. */
export const documentSetErrors = {
  400: BadDocumentRequest,
  409: errorText(
    "Idempotency-Key was used before with another body",
    "The Idempotency-Key belongs to another request.",
  ),
  413: errorText("The document is larger than 20971520 bytes", "The document or the body is too large."),
  415: unsupportedEncoding,
  500: errorText("Internal Server Error", "Something failed on this side; the same request may be made again."),
  503: errorText(BUSY_TEXT, "Too much is being done; try again later."),
};
