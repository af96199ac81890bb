import { claimAnew, stepOf, type TurnOutcome } from "@rubrica/commands";
import { openedAccount, requestResend, type Signer } from "@rubrica/domain";
import { badRequest, callerOf, type HttpServer } from "@rubrica/http";
import { z } from "zod";
import { contextOf, requesterOf } from "../context.ts";
import type { CommandApiDependencies } from "../dependencies.ts";
import { IdempotencyHeaders, repeatableRequest } from "../idempotency.ts";
import { errorText } from "../schemas.ts";
import { DocumentParams, ownDocument, texts } from "./own-document.ts";
import { ownSigner, SignerParams, signerTexts, unlessRefused } from "./own-signer.ts";

const ROUTE = "POST /api/v2/documents/{id_seguimiento}/signers/{id_custom}/resend";

const Answer = z
  .object({
    id_seguimiento: z.string(),
    id_custom: z.string(),
    queued: z.boolean().describe("The phone has another active document: it is sent when that one is over."),
    queued_behind: z.string().nullable().describe("Which document that is; null where it is sent now."),
  })
  .meta({
    examples: [
      {
        id_seguimiento: "019aa5c0-0000-7000-8000-0000000000d1",
        id_custom: "019aa5c0-0000-7000-8000-000000000051",
        queued: false,
        queued_behind: null,
      },
    ],
  })
  .describe("It is sent, or will be once the phone is free.");

const answerOf = (documentId: string, { person }: Signer, turn: TurnOutcome): z.infer<typeof Answer> => ({
  id_seguimiento: documentId,
  id_custom: person?.idCustom ?? "",
  queued: turn.queued,
  queued_behind: turn.queued ? turn.behindDocumentId : null,
});

/** `POST …/resend`: sends a signer anew what they were sent. */
export const resendRoute = (app: HttpServer, dependencies: CommandApiDependencies): void => {
  const { handlers, runtime } = dependencies;
  app.post(
    "/api/v2/documents/:id_seguimiento/signers/:id_custom/resend",
    {
      schema: {
        tags: ["documents"],
        operationId: "resendMessage",
        summary: "Send a signer anew what they were sent",
        description:
          "The message that asks, or the link where they chose to continue: also to who could not be reached, or chose " +
          "not to continue. Their phone's turn is claimed once more. Not within ten minutes of the last time, or of a correction of who was asked, ten times in all with those.",
        headers: IdempotencyHeaders,
        params: DocumentParams.extend(SignerParams.shape),
        response: {
          200: Answer,
          400: badRequest(
            { path: "idempotency-key", message: "must be 1 to 255 visible ASCII characters without commas" },
            "The Idempotency-Key can't be one.",
          ),
          404: errorText(texts.unknownId, "Unknown, or not the account's own."),
          409: errorText(
            signerTexts.nothingToSend,
            "Nothing was sent yet or is of use any more, the signer waits in line, or several have this `id_custom`.",
          ),
          429: errorText(
            signerTexts.tooOften,
            "Within ten minutes of the last time or a correction, ten times in all, or too many requests.",
          ),
          500: errorText("Internal Server Error", "Something failed on this side."),
        },
      },
    },
    async (request, reply) => {
      const { accountId } = callerOf(request);
      const { id_seguimiento: documentId, id_custom: idCustom } = request.params;
      const { signerId } = ownSigner(await ownDocument(dependencies, documentId, accountId), idCustom);
      const repeatable = await repeatableRequest(
        dependencies,
        request,
        ROUTE,
        { documentId, idCustom },
        () => documentId,
      );
      const ownId = runtime.ids.uuidv7();
      const resendId = (await repeatable?.reserve(ownId)) ?? ownId;
      const context = contextOf(request, "integrator", accountId, resendId);
      const { requester: by } = requesterOf(request, openedAccount(await handlers.accounts.load(accountId)));
      const command = { signerId, resendId, by, now: runtime.clock.now() };
      const deciding = handlers.documents.handle(documentId, requestResend, command, stepOf(context, "resend"));
      const retryAfter = (seconds: number) => void reply.header("retry-after", seconds);
      await unlessRefused(dependencies, { documentId, accountId, idCustom }, deciding, retryAfter);
      const turn = await claimAnew(handlers, documentId, signerId, resendId, context);
      return answerOf(documentId, ownSigner(await ownDocument(dependencies, documentId, accountId), idCustom), turn);
    },
  );
};
