import { type HttpServer, zodValidatorCompiler } from "@rubrica/http";
import { z } from "zod";
import type { CommandApiDependencies } from "../dependencies.ts";
import { fileAsTextBytes } from "../fields/base64.ts";
import { IdempotencyHeaders } from "../idempotency.ts";
import { errorText, unsupportedEncoding } from "../schemas.ts";
import { accept, BULK_ADDRESS } from "./accept.ts";
import { BulkAnswer, bulkAnswer } from "./answer.ts";
import { BulkBody } from "./body.ts";
import { badBulkRequest, MAX_ROW_BYTES } from "./check.ts";

const ROWS_BYTES = 4_194_304;
/** All but the document and the rows. */
const REST_OF_BODY_BYTES = 1_048_576;

const BadBulkRequest = z
  .object({
    error: z.string(),
    details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({ examples: [{ error: 'document_type debe ser "docx"' }] })
  .describe("Something is missing or wrong: the first of the faults, in the order of the fields.");

const errors = {
  400: BadBulkRequest,
  409: errorText(
    "Idempotency-Key was used before with another body",
    "The Idempotency-Key belongs to another request.",
  ),
  413: errorText("df has more than 1000 elements", "The document, the body or a signer's element is too large."),
  415: unsupportedEncoding,
  429: errorText("No te quedan firmas disponibles.", "There are fewer credits than signers: nothing is sent or spent."),
  500: errorText("Internal Server Error", "Something failed on this side; the same request may be made again."),
  503: errorText(
    "DOCX can't be converted: no office program is installed here",
    "The service can't convert DOCX, or too much is being done, or asked for in this minute: then `retry-after` tells when to come back.",
  ),
};

/** `POST /api/sendCargaMasiva`: a DOCX for each of many signers, with their own values. */
export const bulkRoute = (app: HttpServer, dependencies: CommandApiDependencies): void => {
  app.post(
    BULK_ADDRESS,
    {
      bodyLimit: fileAsTextBytes(dependencies.limits.documentBytes) + ROWS_BYTES,
      config: {
        errors: { badRequest: badBulkRequest },
        json: {
          longText: "document",
          bytes: REST_OF_BODY_BYTES,
          rows: { field: "df", count: dependencies.limits.bulkRows, bytes: MAX_ROW_BYTES },
        },
        // 429 means here that there are no credits.
        limitedStatus: 503,
      },
      // The body's errors have an order and words of their own: see `check.ts`.
      validatorCompiler: ({ schema, httpPart }) =>
        httpPart === "body" ? (value) => ({ value }) : zodValidatorCompiler({ schema: schema as unknown as z.ZodType }),
      schema: {
        tags: ["bulk"],
        operationId: "sendBulk",
        summary: "Send a DOCX to many signers, each with their own values",
        description:
          "Each signer gets a document of their own: every `{name}` of the template that is a key of the signer's " +
          "element in `df` is replaced by its value. One credit a signer, all of them or none. Links work at once; " +
          "until its PDF is made, a document says that it is being prepared.",
        headers: IdempotencyHeaders,
        body: BulkBody,
        response: { 200: BulkAnswer, ...errors },
      },
    },
    async (request) => bulkAnswer(dependencies, await accept(request, dependencies)),
  );
};
