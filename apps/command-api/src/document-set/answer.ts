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
  const { turns } = accepted;
  const { urls, ...legacy } = legacyAnswer(accepted, dependencies);
  return {
    ...legacy,
    has_queued_signers: turns.some(({ queued }) => queued),
    urls: urls.map((entry, index) => {
      const turn = turns.find(({ signerId }) => signerId === accepted.document.signers[index]?.signerId);
      return turn?.queued
        ? { ...entry, queued: true, queued_behind: turn.behindDocumentId }
        : { ...entry, queued: false, queued_behind: null };
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
