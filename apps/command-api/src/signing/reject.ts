import { reject } from "@rubrica/domain";
import type { HttpServer } from "@rubrica/http";
import { z } from "zod";
import { contextOf, originOf } from "../context.ts";
import type { CommandApiDependencies } from "../dependencies.ts";
import { answering } from "./refusals.ts";
import { ErrorBody, TokenParams } from "./schemas.ts";
import { sessionOf } from "./session.ts";

const MAX_REASON_LENGTH = 1_000;

const Body = z.object({
  reason: z
    .string()
    .max(MAX_REASON_LENGTH)
    .refine((reason) => reason.trim() !== "", "must not be empty"),
});

/** `POST /api/signing/{token}/reject`: one signer's rejection ends the document. */
export const rejectRoute = (app: HttpServer, dependencies: CommandApiDependencies): void => {
  app.post(
    "/api/signing/:token/reject",
    {
      schema: {
        tags: ["signing"],
        summary: "Reject the document",
        params: TokenParams,
        body: Body,
        response: {
          200: z.object({ rejected: z.literal(true) }),
          400: ErrorBody,
          404: ErrorBody,
          409: ErrorBody,
          413: ErrorBody,
        },
      },
    },
    async (request) => {
      const { documentId, accountId, signer } = await sessionOf(dependencies, request.params.token);
      const command = { signerId: signer.signerId, reason: request.body.reason, origin: originOf(request) };
      const context = contextOf(request, "signer", accountId);
      await answering(dependencies.handlers.documents.handle(documentId, reject, command, context));
      return { rejected: true as const };
    },
  );
};
