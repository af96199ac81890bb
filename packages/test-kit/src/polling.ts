import { systemClock } from "@rubrica/runtime";

const POLL_MS = 20;
/** What has not come by then hangs. Nothing that tells this alone is waited for less long: a busy machine takes ten times as long. */
export const HANGING_MS = 300_000;

/**
 * Asks again and again until there is an answer other than `undefined` or `false`, and gives it.
 *
 * `timeoutMs` (default five minutes) tells something that hangs from something that is slow; it is no measure of speed.
 * @param what names what is waited for, for the error.
 * @throws {Error} when it did not come; also whatever `ask` throws, at once.
 */
export const eventually = async <Answer>(
  what: string,
  ask: () => Promise<Answer | undefined | false> | Answer | undefined | false,
  timeoutMs = HANGING_MS,
): Promise<Answer> => {
  const endMs = systemClock.monotonicMs() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (systemClock.monotonicMs() > endMs) throw new Error(`waited ${timeoutMs} ms in vain: ${what}`);
    await systemClock.wait(POLL_MS);
  }
};
