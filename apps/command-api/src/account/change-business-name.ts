import { changeBusinessName, DomainError } from "@rubrica/domain";
import {
  BLOCKED_KEY_TEXT,
  BUSY_TEXT,
  CONTENT_ENCODING_TEXT,
  callerOf,
  type ErrorBodies,
  HttpError,
  type HttpServer,
  TOO_MANY_REQUESTS_TEXT,
  TOO_SLOW_TEXT,
  tooLargeText,
  UNREACHABLE_TEXT,
  UNREADABLE_TEXT,
} from "@rubrica/http";
import { z } from "zod";
import { contextOf } from "../context.ts";
import type { CommandApiDependencies } from "../dependencies.ts";
import { lineOfText } from "../fields/text.ts";

const MAX_LENGTH = 200;
const MAX_BODY_BYTES = 16_384;

/** Word for word as the API's contract has them (section 7); what it does not name has the same shape. */
const texts = {
  changed: "Business name updated successfully",
  invalid: "Invalid request: business_name is required",
  unauthorized: "Unauthorized",
  unknownUser: "User not found",
  internal: "Internal server error",
};

const errors: ErrorBodies = {
  badRequest: (details) => ({ message: texts.invalid, details }),
  unauthorized: { message: texts.unauthorized },
  blocked: { message: BLOCKED_KEY_TEXT },
  tooLarge: (limitBytes) => ({ message: tooLargeText(limitBytes) }),
  tooSlow: { message: TOO_SLOW_TEXT },
  busy: { message: BUSY_TEXT },
  unreadable: { message: UNREADABLE_TEXT },
  unreachable: { message: UNREACHABLE_TEXT },
  unsupportedEncoding: (text) => ({ message: text }),
  tooManyRequests: { message: TOO_MANY_REQUESTS_TEXT },
  internal: { message: texts.internal },
};

const Body = z
  .object({
    // Kept without the blanks around it.
    business_name: z
      .string()
      .transform((name) => name.trim())
      .pipe(lineOfText(MAX_LENGTH))
      .describe("The company name that signers see as the requester"),
  })
  .meta({ examples: [{ business_name: "ACME Homes" }] });

const Answer = z
  .object({ message: z.string(), business_name: z.string().describe("The name as it is kept") })
  .meta({ examples: [{ message: texts.changed, business_name: "ACME Homes" }] })
  .describe("Documents that are requested from now on show the name.");

const message = (example: string, description: string) =>
  z
    .object({ message: z.string() })
    .meta({ examples: [{ message: example }] })
    .describe(description);

const BadName = z
  .object({ message: z.string(), details: z.array(z.object({ path: z.string(), message: z.string() })) })
  .meta({ examples: [errors.badRequest?.([{ path: "business_name", message: "must not be empty" }])] })
  .describe("The name is missing or can't be shown.");

/** `PUT /api/account/changeBusinessName`: the company name that signers see in their messages. */
export const changeBusinessNameRoute = (app: HttpServer, { handlers }: CommandApiDependencies): void => {
  app.put(
    "/api/account/changeBusinessName",
    {
      bodyLimit: MAX_BODY_BYTES,
      config: { errors },
      schema: {
        tags: ["account"],
        operationId: "changeBusinessName",
        summary: "Change the business name",
        description: "Sets the company name that signers see as the requester. A request's own name goes before it.",
        body: Body,
        response: {
          200: Answer,
          400: BadName,
          401: message(texts.unauthorized, "The key is missing, unknown or revoked."),
          403: message(BLOCKED_KEY_TEXT, "The key is blocked."),
          404: message(texts.unknownUser, "The key's account is not there."),
          408: message(TOO_SLOW_TEXT, "The body came too slowly."),
          413: message(tooLargeText(MAX_BODY_BYTES), "The body is too large."),
          415: message(CONTENT_ENCODING_TEXT, "The body is compressed, or in another charset than UTF-8."),
          429: message(
            TOO_MANY_REQUESTS_TEXT,
            "Too many requests in this minute; `retry-after` tells for how many seconds.",
          ),
          500: message(texts.internal, "Something failed on this side."),
          503: message(BUSY_TEXT, "Too much is being done; `retry-after` tells when to try again."),
        },
      },
    },
    async (request) => {
      const { accountId } = callerOf(request);
      const { business_name: businessName } = request.body;
      const context = contextOf(request, "integrator", accountId);
      try {
        await handlers.accounts.handle(accountId, changeBusinessName, { businessName }, context);
      } catch (error) {
        const isUnknown = error instanceof DomainError && error.code === "unknown_account";
        throw isUnknown ? new HttpError(404, { message: texts.unknownUser }) : error;
      }
      return { message: texts.changed, business_name: businessName };
    },
  );
};
