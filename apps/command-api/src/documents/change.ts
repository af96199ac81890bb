import { changeExpiry, DomainError, hasEnded, openedAccount } from "@rubrica/domain";
import { BadRequestError, badRequest, callerOf, HttpError, type HttpServer, tooLargeText } from "@rubrica/http";
import { isoTime } from "@rubrica/runtime";
import { z } from "zod";
import { contextOf, requesterOf } from "../context.ts";
import type { CommandApiDependencies } from "../dependencies.ts";
import { Moment, momentFault } from "../fields/expiry.ts";
import { errorText, unsupportedEncoding } from "../schemas.ts";
import { DocumentParams, ownDocument, texts } from "./own-document.ts";

const MAX_BODY_BYTES = 16_384;

const TOO_OFTEN = "El plazo ya se cambió cien veces";

const Body = z
  .object({ expires_at: Moment.describe("Until when it can be signed, ISO 8601 with an offset; in the future") })
  .meta({ examples: [{ expires_at: "2027-01-31T18:00:00-03:00" }] });

const Answer = z
  .object({ id_seguimiento: z.string(), expires_at: z.string().describe("ISO 8601, UTC") })
  .meta({
    examples: [{ id_seguimiento: "019aa5c0-0000-7000-8000-0000000000d1", expires_at: "2027-01-31T21:00:00.000Z" }],
  })
  .describe("It can be signed until then.");

/** `PATCH /api/v2/documents/{id_seguimiento}`: until when an open document can be signed. */
export const changeDocumentRoute = (app: HttpServer, dependencies: CommandApiDependencies): void => {
  const { handlers, runtime } = dependencies;
  app.patch(
    "/api/v2/documents/:id_seguimiento",
    {
      bodyLimit: MAX_BODY_BYTES,
      schema: {
        tags: ["documents"],
        operationId: "changeDocument",
        summary: "Change until when a document can be signed",
        description: "Of an open document of the account's own, also one that had no end.",
        params: DocumentParams,
        body: Body,
        response: {
          200: Answer,
          400: badRequest({ path: "expires_at", message: "must lie in the future" }, "The moment can't be one."),
          404: errorText(texts.unknownId, "Unknown, or not the account's own."),
          409: errorText(texts.ended, "It has ended, its time was over before, or that was changed a hundred times."),
          413: errorText(tooLargeText(MAX_BODY_BYTES), "The body is too large."),
          415: unsupportedEncoding,
          500: errorText("Internal Server Error", "Something failed on this side."),
        },
      },
    },
    async (request) => {
      const { accountId } = callerOf(request);
      const { id_seguimiento: documentId } = request.params;
      const document = await ownDocument(dependencies, documentId, accountId);
      // Whatever moment is named: none is of use any more.
      if (hasEnded(document)) throw new HttpError(409, { error: texts.ended });
      const message = momentFault(request.body.expires_at, runtime.clock.now());
      if (message) throw new BadRequestError([{ path: "expires_at", message }]);
      const expiresAt = isoTime(Date.parse(request.body.expires_at));
      const { requester: by } = requesterOf(request, openedAccount(await handlers.accounts.load(accountId)));
      const context = contextOf(request, "integrator", accountId);
      try {
        await handlers.documents.handle(documentId, changeExpiry, { expiresAt, by }, context);
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        throw new HttpError(409, { error: error.code === "expiry_changed_too_often" ? TOO_OFTEN : texts.ended });
      }
      return { id_seguimiento: documentId, expires_at: expiresAt };
    },
  );
};
