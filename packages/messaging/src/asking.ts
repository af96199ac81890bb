import { type OutboundAnswer, OutboundFailed, type OwnService, type OwnServiceRequest } from "@rubrica/outbound";
import type { z } from "zod";

const REQUEST_TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 65_536;

/** What is asked of a provider; how long it may take and how much it may answer is the same for all. */
export type ProviderRequest = Pick<OwnServiceRequest, "method" | "path" | "headers" | "body">;

/** Why there was no answer, as a word for the event log. */
export type NoAnswer = "provider_timeout" | "provider_unreachable";

/** The provider's answer, whatever its status; `errorOf` makes what is thrown when there is none. */
export const answerOf = async (
  service: OwnService,
  request: ProviderRequest,
  signal: AbortSignal,
  errorOf: (reason: NoAnswer) => Error,
): Promise<OutboundAnswer> => {
  try {
    return await service.ask({
      ...request,
      timeoutMs: REQUEST_TIMEOUT_MS,
      maxAnswerBytes: MAX_ANSWER_BYTES,
      signal,
    });
  } catch (error) {
    if (!(error instanceof OutboundFailed)) throw error;
    throw errorOf(error.failure === "timed_out" ? "provider_timeout" : "provider_unreachable");
  }
};

/** What an answer says, or undefined when it is cut or says something else. */
export const readAnswer = <Of>(schema: z.ZodType<Of>, { body, isWhole }: OutboundAnswer): Of | undefined => {
  if (!isWhole) return undefined;
  try {
    return schema.safeParse(JSON.parse(body.toString("utf8"))).data;
  } catch {
    return undefined;
  }
};
