import { type Delivery, type Document, DomainError, requestRedelivery } from "@rubrica/domain";
import { derivedId } from "@rubrica/events";
import { badRequest, callerOf, HttpError, type HttpServer } from "@rubrica/http";
import { z } from "zod";
import { contextOf } from "../context.ts";
import type { CommandApiDependencies } from "../dependencies.ts";
import { IdempotencyHeaders, repeatableRequest } from "../idempotency.ts";
import { errorText } from "../schemas.ts";

const texts = {
  unknownId: "No se encontró el id de seguimiento",
  unknownWebhook: "No se encontró el webhook",
  erased: "Los datos del documento fueron eliminados",
};
const ROUTE = "POST /api/v2/documents/{id_seguimiento}/webhooks/{webhook_id}/redeliver";
const DOCUMENT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const WEBHOOK_ID = "019aa5c0-0000-7000-8000-0000000000e1:webhook:alert";

const Params = z.object({
  id_seguimiento: z
    .string()
    .describe("The document's id.")
    .meta({ examples: ["019aa5c0-0000-7000-8000-0000000000d1"] }),
  webhook_id: z
    .string()
    .max(200)
    .describe("The webhook's id, as it was told and as `GET …/webhooks` has it.")
    .meta({ examples: [WEBHOOK_ID] }),
});

const Answer = z
  .object({ webhook_id: z.string() })
  .meta({ examples: [{ webhook_id: WEBHOOK_ID }] })
  .describe("It is sent again, or is on its way: after older ones of the document that are not over.");

const isOf = (document: Document, accountId: string): document is Exclude<Document, { status: "none" }> =>
  document.status !== "none" && document.accountId === accountId;

/** `POST …/webhooks/{webhook_id}/redeliver`: sends a webhook again that was attempted before, under its id. */
export const redeliverRoute = (app: HttpServer, dependencies: CommandApiDependencies): void => {
  const { handlers, runtime } = dependencies;

  const deliveryOf = async (documentId: string, webhookId: string, accountId: string): Promise<Delivery> => {
    const document = DOCUMENT_ID.test(documentId) ? await handlers.documents.load(documentId) : undefined;
    if (!document || !isOf(document, accountId)) throw new HttpError(404, { error: texts.unknownId });
    if (document.texts === null) throw new HttpError(410, { error: texts.erased });
    const delivery = await handlers.deliveries.load(derivedId(webhookId));
    if (delivery.status === "none" || delivery.documentId !== documentId) {
      throw new HttpError(404, { error: texts.unknownWebhook });
    }
    return delivery;
  };

  app.post(
    "/api/v2/documents/:id_seguimiento/webhooks/:webhook_id/redeliver",
    {
      schema: {
        tags: ["webhooks"],
        operationId: "redeliverWebhook",
        summary: "Send a webhook again",
        description:
          "Under its own `webhook-id`, whatever came of it, with ten attempts more. The account's own documents alone.",
        headers: IdempotencyHeaders,
        params: Params,
        response: {
          202: Answer,
          400: badRequest(
            { path: "idempotency-key", message: "must be 1 to 255 visible ASCII characters without commas" },
            "The Idempotency-Key or the webhook's id can't be one.",
          ),
          404: errorText(texts.unknownId, "Unknown, not the account's, or not attempted yet."),
          409: errorText("Idempotency-Key was used before with another body", "The key names another request."),
          410: errorText(texts.erased, "What it would say was erased."),
          500: errorText("Internal Server Error", "Something failed on this side."),
        },
      },
    },
    async (request, reply) => {
      const { accountId } = callerOf(request);
      const { id_seguimiento: documentId, webhook_id: webhookId } = request.params;
      await deliveryOf(documentId, webhookId, accountId);
      const repeatable = await repeatableRequest(dependencies, request, ROUTE, { documentId, webhookId });
      const ownId = runtime.ids.uuidv7();
      const redeliveryId = (await repeatable?.reserve(ownId)) ?? ownId;
      const context = contextOf(request, "integrator", accountId, redeliveryId);
      try {
        await handlers.deliveries.handle(derivedId(webhookId), requestRedelivery, { redeliveryId }, context);
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        throw new HttpError(404, { error: texts.unknownWebhook });
      }
      reply.code(202);
      return { webhook_id: webhookId };
    },
  );
};
