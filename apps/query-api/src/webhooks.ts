import { badRequest, callerOf, HttpError, type HttpPlugin } from "@rubrica/http";
import {
  LISTED_FIELD,
  type ListedWebhook,
  listedRange,
  type WebhookAttemptEntry,
  type WebhookEntry,
  webhooks,
} from "@rubrica/read-models";
import type { QueryApiDependencies } from "./dependencies.ts";
import type { DocumentFinder } from "./find-document.ts";
import { errorOf, IdParams, notYet } from "./schemas.ts";
import { texts } from "./texts.ts";
import { upToNow } from "./up-to-now.ts";
import { DocumentWebhooks, FailedWebhooks, ListQuery, type WebhookBody } from "./webhook-schemas.ts";

const MAX_LISTED = 100;

/** Why an attempt failed, in words; null when it did not. */
const errorOfAttempt = ({ reason, status, result }: WebhookAttemptEntry): string | null => {
  if (result !== "failed") return null;
  switch (reason) {
    case "status":
      return `The receiver answered ${status}, not 2xx.`;
    case "gone":
      return "The receiver answered 410: it wants this callback no more.";
    case "timed_out":
      return "No answer came within 15 seconds.";
    case "no_answer":
      return "The connection failed, or was closed before an answer came.";
    // Not told apart: who asks would map the inner network by its names.
    case "unknown_host":
    case "not_public":
      return "The host is unknown, or its address is not a public one.";
    case "bad_url":
      return "The address is no http or https URL without user name and password.";
    case "forgotten":
      return "What it would say was erased.";
    case "attempts_exhausted":
      return "Each attempt was cut before its outcome was known.";
    default:
      return "It failed.";
  }
};

/** How long it took tells names that are unknown from those of an inner network. */
const isOfName = ({ reason }: WebhookEntry["attempts"][number]): boolean =>
  reason === "unknown_host" || reason === "not_public";

const bodyOf = (entry: WebhookEntry, isNext: boolean): WebhookBody => ({
  webhook_id: entry.webhookId,
  type: entry.webhookType,
  created_at: entry.createdAt,
  state: entry.state,
  attempts: entry.attempts.map((attempt) => ({
    attempt: attempt.attempt,
    at: attempt.at,
    status: attempt.status,
    error: errorOfAttempt(attempt),
    duration_ms: isOfName(attempt) ? null : attempt.durationMs,
  })),
  next_attempt: isNext ? entry.nextAttemptAt : null,
});

const isOpen = ({ state }: WebhookEntry): boolean => state === "pending" || state === "failing";

type Dependencies = Pick<QueryApiDependencies, "events" | "readModels" | "freshness">;

/** `GET /api/v2/documents/{id_seguimiento}/webhooks`: what a document's receiver was told, and what it is still to be. */
export const documentWebhooks =
  (finder: DocumentFinder, dependencies: Dependencies): HttpPlugin =>
  async (app) => {
    app.get(
      "/api/v2/documents/:id_seguimiento/webhooks",
      {
        schema: {
          tags: ["webhooks"],
          operationId: "documentWebhooks",
          summary: "A document's webhooks",
          description:
            "Each with its latest attempts, oldest first. They are sent one after the other: what waits for an older one has no `next_attempt`.",
          params: IdParams,
          response: {
            200: DocumentWebhooks,
            404: errorOf(texts.unknownId, "Unknown, or of neither the account nor its team."),
            500: errorOf({ error: "Internal Server Error" }, "Something failed on this side."),
            503: notYet,
          },
        },
      },
      async (request) => {
        const { accountId } = callerOf(request);
        await upToNow(dependencies, webhooks);
        const found = await finder.find(webhooks, request.params.id_seguimiento, accountId);
        if (!found) throw new HttpError(404, texts.unknownId);
        const { documentId, webhooks: entries } = found.view;
        const next = entries.find(isOpen);
        return { id_seguimiento: documentId, webhooks: entries.map((entry) => bodyOf(entry, entry === next)) };
      },
    );
  };

/** `GET /api/v2/webhooks?state=failing`: the account's webhooks that were not taken. */
export const failedWebhooks =
  (dependencies: Dependencies): HttpPlugin =>
  async (app) => {
    app.get(
      "/api/v2/webhooks",
      {
        schema: {
          tags: ["webhooks"],
          operationId: "failedWebhooks",
          summary: "Webhooks that were not taken",
          description:
            "The account's webhooks whose last attempt failed (`failing`), or that are not attempted any more (`abandoned`), oldest first.",
          querystring: ListQuery,
          response: {
            200: FailedWebhooks,
            400: badRequest({ path: "limit", message: "must be at most 100" }, "The query is not understood."),
            500: errorOf({ error: "Internal Server Error" }, "Something failed on this side."),
            503: notYet,
          },
        },
      },
      async (request) => {
        const { accountId } = callerOf(request);
        const { state, limit, after } = request.query;
        await upToNow(dependencies, webhooks);
        const range = { ...listedRange(state, accountId, after), limit: Math.min(limit, MAX_LISTED) };
        const found = await dependencies.readModels.findRange<ListedWebhook>(webhooks, LISTED_FIELD, range);
        const listed = found.map(({ document }) => document);
        const last = listed.length === range.limit ? listed.at(-1) : undefined;
        return {
          webhooks: listed.map((entry) => ({ id_seguimiento: entry.documentId, ...bodyOf(entry, true) })),
          next: last ? `${last.createdAt}/${last.webhookId}` : null,
        };
      },
    );
  };
