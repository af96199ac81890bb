import { createOwnService, type OwnServiceOptions } from "@rubrica/outbound";
import { noticeOf, type PhoneNotice } from "./notice.ts";

const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 16_384;

/**
 * Tells the service what became of a message; resolves once it has kept that. What is being told when `signal` is aborted
 * is given up.
 * @throws {RangeError} when the URL or the key cannot be used.
 */
export const noticesTo = (where: OwnServiceOptions, signal: AbortSignal): ((notice: PhoneNotice) => Promise<void>) => {
  const service = createOwnService(where);
  return async (notice) => {
    const { status } = await service.ask({
      method: "POST",
      path: "/inbound/simulator",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ notices: [noticeOf(notice)] }),
      timeoutMs: TIMEOUT_MS,
      maxAnswerBytes: MAX_ANSWER_BYTES,
      signal,
    });
    if (status !== 200) throw new Error(`the service answered a notice with ${status}`);
  };
};
