import { claimAnew, stepOf, type TurnOutcome } from "@rubrica/commands";
import { DomainError, openedAccount, requestResend, resendPauseMs, type Signer } from "@rubrica/domain";
import { badRequest, callerOf, HttpError, type HttpServer } from "@rubrica/http";
import { z } from "zod";
import { contextOf, requesterOf } from "../context.ts";
import type { CommandApiDependencies } from "../dependencies.ts";
import { IdempotencyHeaders, repeatableRequest } from "../idempotency.ts";
import { errorText } from "../schemas.ts";
import { DocumentParams, ownDocument, texts } from "./own-document.ts";
import { ownSigner, SignerParams, signerTexts } from "./own-signer.ts";

const ROUTE = "POST /api/v2/documents/{id_seguimiento}/signers/{id_custom}/resend";
const TOO_OFTEN = "El mensaje ya se reenvió; espere diez minutos entre un envío y otro, diez envíos como máximo";

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

const refusals: Partial<Record<DomainError["code"], { status: number; error: string }>> = {
  nothing_to_send: { status: 409, error: signerTexts.nothingToSend },
  signer_queued: { status: 409, error: signerTexts.queued },
  resent_too_soon: { status: 429, error: TOO_OFTEN },
  resent_too_often: { status: 429, error: TOO_OFTEN },
};

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
          "not to continue. Their phone's turn is claimed once more. Not within ten minutes of the last time, ten times in all.",
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
          429: errorText(TOO_OFTEN, "Within ten minutes of the last time, ten times in all, or too many requests."),
          500: errorText("Internal Server Error", "Something failed on this side."),
        },
      },
    },
    async (request, reply) => {
      const { accountId } = callerOf(request);
      const { id_seguimiento: documentId, id_custom: idCustom } = request.params;
      const { signerId } = ownSigner(await ownDocument(dependencies, documentId, accountId), idCustom);
      const repeatable = await repeatableRequest(dependencies, request, ROUTE, { documentId, idCustom });
      const ownId = runtime.ids.uuidv7();
      const resendId = (await repeatable?.claim(ownId)) ?? ownId;
      const context = contextOf(request, "integrator", accountId, resendId);
      const { requester: by } = requesterOf(request, openedAccount(await handlers.accounts.load(accountId)));
      const command = { signerId, resendId, by, now: runtime.clock.now() };
      try {
        await handlers.documents.handle(documentId, requestResend, command, stepOf(context, "resend"));
      } catch (error) {
        const refusal = error instanceof DomainError ? refusals[error.code] : undefined;
        if (!refusal) throw error;
        const signer = ownSigner(await ownDocument(dependencies, documentId, accountId), idCustom);
        const pauseMs = resendPauseMs(signer, runtime.clock.now());
        if (refusal.status === 429 && pauseMs > 0) reply.header("retry-after", Math.ceil(pauseMs / 1_000));
        throw new HttpError(refusal.status, { error: refusal.error });
      }
      const turn = await claimAnew(handlers, documentId, signerId, resendId, context);
      return answerOf(documentId, ownSigner(await ownDocument(dependencies, documentId, accountId), idCustom), turn);
    },
  );
};
