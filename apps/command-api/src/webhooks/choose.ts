import { chooseWebhookEvents, webhookEventsOf } from "@rubrica/domain";
import { WebhookType } from "@rubrica/events";
import { badRequest, callerOf, type HttpServer, TOO_SLOW_TEXT, tooLargeText } from "@rubrica/http";
import { z } from "zod";
import { contextOf } from "../context.ts";
import type { CommandApiDependencies } from "../dependencies.ts";
import { errorText, unsupportedEncoding } from "../schemas.ts";

const MAX_BODY_BYTES = 16_384;
const example = { webhook_events: ["alert", "report", "msg", "rejection", "canceled", "expired"] };

const Body = z
  .object({
    webhook_events: z
      .array(WebhookType)
      .max(WebhookType.options.length)
      .describe("All that your receivers are to be told. The first four are told to who chose nothing"),
  })
  .meta({ examples: [example] });

const Answer = z
  .object({ webhook_events: z.array(WebhookType) })
  .meta({ examples: [example] })
  .describe("Documents that are asked for from now on tell these.");

/** `PUT /api/v2/webhooks/events`: which webhooks the account's documents are to tell. */
export const chooseWebhooksRoute = (app: HttpServer, { handlers }: CommandApiDependencies): void => {
  app.put(
    "/api/v2/webhooks/events",
    {
      bodyLimit: MAX_BODY_BYTES,
      schema: {
        tags: ["webhooks"],
        operationId: "chooseWebhooks",
        summary: "Choose what webhooks tell",
        description:
          "Of the account's documents, of every request, from now on; those that were asked for before tell what they did. Without it they tell `alert`, `report`, `msg` and `rejection`.",
        body: Body,
        response: {
          200: Answer,
          400: badRequest(
            { path: "webhook_events[0]", message: "must be one of the webhooks' types" },
            "There is no such webhook.",
          ),
          408: errorText(TOO_SLOW_TEXT, "The body came too slowly."),
          413: errorText(tooLargeText(MAX_BODY_BYTES), "The body is too large."),
          415: unsupportedEncoding,
          500: errorText("Internal Server Error", "Something failed on this side."),
        },
      },
    },
    async (request) => {
      const { accountId } = callerOf(request);
      const { webhook_events: webhookEvents } = request.body;
      const context = contextOf(request, "integrator", accountId);
      const { state } = await handlers.accounts.handle(accountId, chooseWebhookEvents, { webhookEvents }, context);
      return { webhook_events: [...webhookEventsOf(state)] };
    },
  );
};
