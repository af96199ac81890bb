import type { AcceptedDocument } from "@rubrica/commands";
import { HttpError } from "@rubrica/http";
import type { z } from "zod";
import type { CommandApiDependencies } from "../dependencies.ts";
import type { DocumentSetAnswer, LegacyDocumentSetAnswer } from "./schemas.ts";

type Current = z.infer<typeof DocumentSetAnswer>;
type Legacy = z.infer<typeof LegacyDocumentSetAnswer>;
type Dependencies = Pick<CommandApiDependencies, "tokens" | "publicUrl">;

/** The answer to a current document request, made of what its document's events tell. @throws {HttpError} 409 */
export const currentAnswer = (accepted: AcceptedDocument, dependencies: Dependencies): Current => {
  const { turn } = accepted;
  const { urls, ...legacy } = legacyAnswer(accepted, dependencies);
  return {
    ...legacy,
    has_queued_signers: turn.queued,
    urls: urls.map((entry, index) => {
      const queued = turn.queued && accepted.document.signers[index]?.signerId === turn.signerId;
      return { ...entry, queued, queued_behind: turn.queued && queued ? turn.behindDocumentId : null };
    }),
  };
};

/**
 * The answer to a legacy document request.
 * @throws {HttpError} 409 when its signers were forgotten since a first answer.
 */
export const legacyAnswer = (
  { document: { documentId, signers }, createdAt }: AcceptedDocument,
  { tokens, publicUrl }: Dependencies,
): Legacy => ({
  id_seguimiento: documentId,
  created_at: Math.floor(Date.parse(createdAt) / 1000),
  urls: signers.map(({ personRequested: person }, index) => {
    if (!person) throw new HttpError(409, { error: "The request was made before, and its document was erased since" });
    const { name, idNumber, phone, idCustom } = person;
    const link = `${publicUrl}/s/${tokens.make(documentId, index)}`;
    return { link, name, dni: idNumber, contact: phone, method: "wpp" as const, id_custom: idCustom };
  }),
});
