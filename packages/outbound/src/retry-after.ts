const LONGEST_MS = 86_400_000;

/**
 * The pause that an answer's `Retry-After` asks for (RFC 9110, 10.2.3: seconds, or an HTTP date), in milliseconds, a day
 * at most; undefined when it asks for none, or can't be read.
 * @param nowMs milliseconds since the UNIX epoch
 */
export const retryAfterMs = (retryAfter: string | undefined, nowMs: number): number | undefined => {
  const text = retryAfter?.trim() ?? "";
  const pauseMs = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs;
  return pauseMs > 0 ? Math.min(pauseMs, LONGEST_MS) : undefined;
};
