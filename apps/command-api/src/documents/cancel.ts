import { cancelDocument, DomainError, openedAccount, type RequestedDocument } from "@rubrica/domain";
import { badRequest, callerOf, HttpError, type HttpServer, tooLargeText } from "@rubrica/http";
import { z } from "zod";
import { contextOf, requesterOf } from "../context.ts";
import type { CommandApiDependencies } from "../dependencies.ts";
import { textOfLines } from "../fields/text.ts";
import { IdempotencyHeaders, repeatableRequest } from "../idempotency.ts";
import { errorText, optional, unsupportedEncoding } from "../schemas.ts";
import { giveUpTurns } from "../signing/turns.ts";
import { DocumentParams, ownDocument, texts } from "./own-document.ts";

const ROUTE = "POST /api/v2/documents/{id_seguimiento}/cancel";
const MAX_REASON_LENGTH = 500;
const MAX_BODY_BYTES = 16_384;

const Body = z
  .object({
    reason: optional(textOfLines(MAX_REASON_LENGTH)).describe("Why; signers who open their link read it"),
  })
  .nullish()
  .meta({ examples: [{ reason: "The rent changed" }] });

const Answer = z
  .object({ id_seguimiento: z.string(), canceled_at: z.string().describe("ISO 8601, UTC") })
  .meta({
    examples: [{ id_seguimiento: "019aa5c0-0000-7000-8000-0000000000d1", canceled_at: "2026-11-21T15:09:41.120Z" }],
  })
  .describe("Nobody can sign it any more. Canceling again answers the same.");

const answerOf = ({ documentId, ...document }: RequestedDocument): z.infer<typeof Answer> => {
  if (document.status !== "withdrawn" || document.endedAt === null) throw new Error("it was not canceled");
  return { id_seguimiento: documentId, canceled_at: document.endedAt };
};

/** `POST …/cancel`: the requester takes an open document back. */
export const cancelRoute = (app: HttpServer, dependencies: CommandApiDependencies): void => {
  const { handlers, runtime } = dependencies;
  app.post(
    "/api/v2/documents/:id_seguimiento/cancel",
    {
      bodyLimit: MAX_BODY_BYTES,
      schema: {
        tags: ["documents"],
        operationId: "cancelDocument",
        summary: "Cancel a document",
        description:
          "Takes an open document back, of the account's own: its links sign nothing any more, its phones are free, and " +
          "signers who were reached by message are told. From the last signature on it can't be canceled. A bulk call's " +
          "row is canceled alone; its credit is spent.",
        headers: IdempotencyHeaders,
        params: DocumentParams,
        body: Body,
        response: {
          200: Answer,
          400: badRequest(
            { path: "reason", message: `must have at most ${MAX_REASON_LENGTH} characters` },
            "The reason or the Idempotency-Key can't be one.",
          ),
          404: errorText(texts.unknownId, "Unknown, or not the account's own."),
          409: errorText(
            texts.ended,
            "Signed by all, rejected or expired; or the Idempotency-Key names another request.",
          ),
          413: errorText(tooLargeText(MAX_BODY_BYTES), "The body is too large."),
          415: unsupportedEncoding,
          500: errorText("Internal Server Error", "Something failed on this side."),
        },
      },
    },
    async (request) => {
      const { accountId } = callerOf(request);
      const { id_seguimiento: documentId } = request.params;
      const text = request.body?.reason ?? null;
      await ownDocument(dependencies, documentId, accountId);
      const repeatable = await repeatableRequest(
        dependencies,
        request,
        ROUTE,
        { documentId, reason: text },
        () => documentId,
      );
      const ownId = runtime.ids.uuidv7();
      const context = contextOf(request, "integrator", accountId, (await repeatable?.reserve(ownId)) ?? ownId);
      const { requester: by } = requesterOf(request, openedAccount(await handlers.accounts.load(accountId)));
      try {
        await handlers.documents.handle(documentId, cancelDocument, { by, text }, context);
      } catch (error) {
        if (error instanceof DomainError) throw new HttpError(409, { error: texts.ended });
        throw error;
      }
      const document = await ownDocument(dependencies, documentId, accountId);
      const signerIds = document.signers.map(({ signerId }) => signerId);
      await giveUpTurns(handlers, { documentId, signerIds }, context, request.log);
      return answerOf(document);
    },
  );
};
