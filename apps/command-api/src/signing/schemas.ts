import { z } from "zod";

/** The token of a signing link. */
export const TokenParams = z.object({ token: z.string().max(200) });

/** An error of the signer's API: a sentence, and a code that a page can go by. */
export const ErrorBody = z.object({
  error: z.string(),
  code: z.string().optional(),
  details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});
