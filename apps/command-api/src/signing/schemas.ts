import { CONTENT_ENCODING_TEXT } from "@rubrica/http";
import { z } from "zod";
import { erasedBody, replacedBody, unknownLinkBody } from "./session.ts";

/** The token of a signing link. */
export const TokenParams = z.object({
  token: z
    .string()
    .describe("What stands after `/s/` in a signing link")
    .meta({ examples: ["AQGapcAAAHAAgAAAAAAAANEAAJ8s4cUT5mVWzqSfbv0vWlY"] }),
});

/** An error of the signer's API: a sentence, and a code that a page can go by. */
const ErrorBody = z.object({
  error: z.string(),
  code: z.string().optional(),
  business_name: z.string().optional().describe("Who asked, where that is all that is left"),
  details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

/** An error of the signer's API with bodies that go out, and when they do. */
export const errorOf = (description: string, ...examples: readonly z.infer<typeof ErrorBody>[]) =>
  ErrorBody.meta({ examples: [...examples] }).describe(description);

/** A command's or a file's refusal: the document is not in the state for it. */
export const refused = (...examples: readonly { error: string; code: string }[]) =>
  errorOf("The document is not in the state for it; `code` tells which it is in.", ...examples);

/** What every route of the signer's API may answer with. */
export const commonErrors = {
  404: errorOf("No such link.", unknownLinkBody),
  410: errorOf(
    "The link was replaced by another one, or the document has ended and its people were erased.",
    erasedBody("ACME"),
    replacedBody,
  ),
  500: errorOf("Something failed on this side; the same request may be made again.", {
    error: "Internal Server Error",
  }),
};

/** What every route with a body may answer with, too. */
export const bodyErrors = {
  400: errorOf("The body can't be read, or something in it is missing or wrong: `details` names it.", {
    error: "Bad Request",
    details: [{ path: "reason", message: "must not be empty" }],
  }),
  413: errorOf("The body is too large.", { error: "Request body is larger than 1048576 bytes" }),
  415: errorOf("The body is compressed, or in another charset than UTF-8.", { error: CONTENT_ENCODING_TEXT }),
};
