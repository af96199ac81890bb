import type { RequestedDocument } from "@rubrica/domain";
import { HttpError } from "@rubrica/http";
import { z } from "zod";
import type { CommandApiDependencies } from "../dependencies.ts";

/** What the routes that act on a document say when they can't, as the reading ones do. */
export const texts = {
  unknownId: "No se encontró el id de seguimiento",
  ended: "El documento ya terminó",
};

const DOCUMENT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The path of a document. */
export const DocumentParams = z.object({
  id_seguimiento: z
    .string()
    .describe("The document's id.")
    .meta({ examples: ["019aa5c0-0000-7000-8000-0000000000d1"] }),
});

/** A document of the account's own. @throws {HttpError} 404 for an unknown one, and for another account's. */
export const ownDocument = async (
  { handlers }: Pick<CommandApiDependencies, "handlers">,
  documentId: string,
  accountId: string,
): Promise<RequestedDocument> => {
  const document = DOCUMENT_ID.test(documentId) ? await handlers.documents.load(documentId) : undefined;
  if (!document || document.status === "none" || document.accountId !== accountId) {
    throw new HttpError(404, { error: texts.unknownId });
  }
  return document;
};
