import { callerOf, HttpError, type HttpPlugin } from "@rubrica/http";
import { type DocumentRecord, documents } from "@rubrica/read-models";
import type { z } from "zod";
import type { DocumentFinder } from "./find-document.ts";
import { errorOf, IdParams, notYet, Status } from "./schemas.ts";
import { texts } from "./texts.ts";

const unixSeconds = (at: string | null): number | null => (at === null ? null : Math.floor(Date.parse(at) / 1_000));

const statusOf = (document: DocumentRecord, signerId: string | null): z.infer<typeof Status> => {
  const finished = document.completedAt !== null;
  if (signerId === null) return { is_finished: finished, signed_at: unixSeconds(document.completedAt) };
  const signedAt = document.signers.find((signer) => signer.signerId === signerId)?.signedAt ?? null;
  return { is_finished: signedAt !== null, signed_at: unixSeconds(signedAt), is_finished_mission: finished };
};

/** `GET /api/v2/signatureStatus/{id_seguimiento}`: has the document, or the signer, been signed, and when? */
export const signatureStatus =
  (finder: DocumentFinder): HttpPlugin =>
  async (app) => {
    app.get(
      "/api/v2/signatureStatus/:id_seguimiento",
      {
        config: { errors: { internal: texts.statusFailed } },
        schema: {
          tags: ["documents"],
          operationId: "signatureStatus",
          summary: "Signature status",
          description:
            "Whether a document, or by `id_custom` one of its signers, is signed. Sees every earlier answer.",
          params: IdParams,
          response: {
            200: Status,
            404: errorOf(texts.unknownId, "Unknown, or of neither the account nor its team."),
            500: errorOf(texts.statusFailed, "Something failed on this side."),
            503: notYet,
          },
        },
      },
      async (request) => {
        const { accountId } = callerOf(request);
        const found = await finder.find(documents, request.params.id_seguimiento, accountId);
        if (!found) throw new HttpError(404, texts.unknownId);
        return statusOf(found.view, found.signerId);
      },
    );
  };
