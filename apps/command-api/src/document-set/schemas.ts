import { z } from "zod";

/** A signer's entry in `urls`. */
const SigningLinkEntry = z.object({
  link: z.url().describe("Personal signing link; works before any message is sent"),
  name: z.string(),
  dni: z.string(),
  contact: z.string(),
  method: z.literal("wpp"),
  id_custom: z.string(),
  queued: z.boolean().describe("Whether the signer's message is held back"),
  queued_behind: z.string().nullable().describe("id_seguimiento of the document that holds the phone's turn"),
});

/** The answer to a current document request. */
export const DocumentSetAnswer = z.object({
  id_seguimiento: z.string(),
  created_at: z.int().describe("UNIX time in seconds"),
  has_queued_signers: z.boolean(),
  urls: z.array(SigningLinkEntry),
});

/** The 400 of a document request. */
export const BadDocumentRequest = z.object({
  error: z.array(z.string()),
  details: z.array(z.object({ path: z.string(), message: z.string() })),
});

export const ErrorText = z.object({ error: z.string() });
