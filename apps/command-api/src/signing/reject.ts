import { reject } from "@rubrica/domain";
import type { HttpServer } from "@rubrica/http";
import { z } from "zod";
import { contextOf, originOf } from "../context.ts";
import type { CommandApiDependencies } from "../dependencies.ts";
import { textOfLines } from "../fields/text.ts";
import { answering, refusalOf } from "./refusals.ts";
import { bodyErrors, commonErrors, refused, TokenParams } from "./schemas.ts";
import { sessionOf } from "./session.ts";
import { giveUpTurns } from "./turns.ts";

const MAX_REASON_LENGTH = 1_000;

const Body = z
  .object({
    reason: textOfLines(MAX_REASON_LENGTH).describe("Why, in the signer's words; the `rejection` webhook carries it"),
  })
  .meta({ examples: [{ reason: "The amount is wrong" }] });

const Rejected = z
  .object({ rejected: z.literal(true) })
  .meta({ examples: [{ rejected: true }] })
  .describe("The document has ended: nobody else can sign it.");

/** `POST /api/signing/{token}/reject`: one signer's rejection ends the document. */
export const rejectRoute = (app: HttpServer, dependencies: CommandApiDependencies): void => {
  app.post(
    "/api/signing/:token/reject",
    {
      schema: {
        tags: ["signing"],
        operationId: "rejectDocument",
        summary: "Reject the document",
        description: "One signer's rejection ends the document for all.",
        params: TokenParams,
        body: Body,
        response: {
          200: Rejected,
          ...bodyErrors,
          ...commonErrors,
          409: refused(...(["document_ended", "already_signed", "document_being_prepared"] as const).map(refusalOf)),
        },
      },
    },
    async (request) => {
      const { handlers } = dependencies;
      const { documentId, accountId, document, signer, linkNumber } = await sessionOf(
        dependencies,
        request.params.token,
      );
      const acting = { signerId: signer.signerId, linkNumber };
      const command = { ...acting, reason: request.body.reason, origin: originOf(request) };
      const context = contextOf(request, "signer", accountId);
      await answering(handlers.documents.handle(documentId, reject, command, context));
      const signerIds = document.signers.map(({ signerId }) => signerId);
      await giveUpTurns(handlers, { documentId, signerIds }, context, request.log);
      return { rejected: true as const };
    },
  );
};
