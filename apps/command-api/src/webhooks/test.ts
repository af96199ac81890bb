import { DomainError, requestWebhookTest, webhookEventsOf, webhookSecretsAt } from "@rubrica/domain";
import { WebhookType } from "@rubrica/events";
import { badRequest, callerOf, HttpError, type HttpServer, TOO_SLOW_TEXT, tooLargeText } from "@rubrica/http";
import { sendWebhook, type WebhookOutcome, webhookExamples } from "@rubrica/outbound/webhooks";
import { z } from "zod";
import { contextOf } from "../context.ts";
import type { CommandApiDependencies } from "../dependencies.ts";
import { MAX_WEBHOOK_HEADERS, webhookHeaders, webhookUrl } from "../fields/webhook.ts";
import { errorText, optional, unsupportedEncoding } from "../schemas.ts";

const MAX_BODY_BYTES = 65_536;
const RETRY_AFTER_SECONDS = 3_600;
const TOO_MANY_TEXT = "Webhooks were tried out ten times within the hour";

const bodyOf = (allowPrivateUrls: boolean) =>
  z
    .object({
      webhook_url: webhookUrl(allowPrivateUrls).describe("Where the examples go"),
      webhook_key: optional(
        webhookHeaders.refine((headers) => Object.keys(headers).length <= MAX_WEBHOOK_HEADERS, {
          error: `must have at most ${MAX_WEBHOOK_HEADERS} entries`,
        }),
      ).describe("Sent as HTTP headers with each"),
    })
    .meta({ examples: [{ webhook_url: "https://example.com/rubrica", webhook_key: { "x-api-secret": "yours" } }] });

const Result = z.object({
  type: WebhookType,
  webhook_id: z.string(),
  delivered: z.boolean().describe("It was answered 2xx."),
  status: z.int().nullable().describe("What it was answered with; null when no answer came."),
  reason: z
    .string()
    .nullable()
    .describe(
      "`status`, `gone`, `timed_out`, `no_answer`, `unreachable` (its host is unknown, or not public) or `bad_url`.",
    ),
  duration_ms: z.int(),
});

/** Names that are unknown and those of an inner network are not told apart: who asks would map that network. */
const withoutNames = (outcome: WebhookOutcome): Pick<z.infer<typeof Result>, "reason" | "duration_ms"> => {
  if (outcome.taken) return { reason: null, duration_ms: outcome.durationMs };
  const isOfName = outcome.reason === "unknown_host" || outcome.reason === "not_public";
  return isOfName
    ? { reason: "unreachable", duration_ms: 0 }
    : { reason: outcome.reason, duration_ms: outcome.durationMs };
};

const Answer = z
  .object({ results: z.array(Result) })
  .meta({
    examples: [
      {
        results: [
          {
            type: "alert",
            webhook_id: "019aa5c0-0000-7000-8000-0000000000f1:webhook:alert",
            delivered: true,
            status: 200,
            reason: null,
            duration_ms: 80,
          },
        ],
      },
    ],
  })
  .describe("What came of each.");

const BadBody = badRequest(
  { path: "webhook_url", message: "must not lead to a private address" },
  "The address can't be reached, or the headers can't be sent.",
);

/** `POST /api/v2/webhooks/test`: sends an example of each webhook, once, and tells what came of it. */
export const webhookTestRoute = (app: HttpServer, dependencies: CommandApiDependencies): void => {
  const { handlers, outbound, runtime, allowPrivateUrls } = dependencies;

  const countedTest = async (request: Parameters<typeof contextOf>[0]): Promise<string> => {
    const { accountId } = callerOf(request);
    const testId = runtime.ids.uuidv7();
    const command = { testId, now: runtime.clock.now() };
    const context = contextOf(request, "integrator", accountId);
    await handlers.accounts.handle(accountId, requestWebhookTest, command, context);
    return testId;
  };

  app.post(
    "/api/v2/webhooks/test",
    {
      bodyLimit: MAX_BODY_BYTES,
      schema: {
        tags: ["webhooks"],
        operationId: "testWebhooks",
        summary: "Try a receiver out",
        description:
          "Sends the example of each webhook that the account has chosen, signed with the account's secret, once and at the same time; ten times an hour at most. Examples are of no document.",
        body: bodyOf(allowPrivateUrls),
        response: {
          200: Answer,
          400: BadBody,
          408: errorText(TOO_SLOW_TEXT, "The body came too slowly."),
          413: errorText(tooLargeText(MAX_BODY_BYTES), "The body is too large."),
          415: unsupportedEncoding,
          429: errorText(TOO_MANY_TEXT, "Ten times within the hour, or too many requests; see `retry-after`."),
          500: errorText("Internal Server Error", "Something failed on this side."),
        },
      },
    },
    async (request, reply) => {
      const { webhook_url: url, webhook_key: headers = {} } = request.body;
      const testId = await countedTest(request).catch((error: unknown) => {
        if (!(error instanceof DomainError) || error.code !== "too_many_webhook_tests") throw error;
        reply.header("retry-after", RETRY_AFTER_SECONDS);
        throw new HttpError(429, { error: TOO_MANY_TEXT });
      });
      const { clock } = runtime;
      const account = await handlers.accounts.load(callerOf(request).accountId);
      const secrets = webhookSecretsAt(account, clock.now());
      const results = webhookEventsOf(account).map(async (type) => {
        const id = `${testId}:webhook:${type}`;
        const callback = { id, secrets, head: null, url, headers, body: JSON.stringify(webhookExamples[type]) };
        const outcome = await sendWebhook({ outbound, clock }, callback);
        return { type, webhook_id: id, delivered: outcome.taken, status: outcome.status, ...withoutNames(outcome) };
      });
      return { results: await Promise.all(results) };
    },
  );
};
