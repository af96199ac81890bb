import type { Clock } from "@rubrica/runtime";

/** Waits before each round, in milliseconds. */
const ROUNDS_AFTER_MS = [0, 500, 2_000];

/**
 * Asks one server after the other until one gives what is taken; all of them again, in three rounds at most. Throws an
 * `AggregateError` with why each failed in the last round.
 *
 * @param rounds how many rounds; all of them when it is not given
 */
export const firstOf = async <Answer>(
  clock: Clock,
  asks: readonly ((round: number) => Promise<Answer>)[],
  rounds: number = ROUNDS_AFTER_MS.length,
): Promise<Answer> => {
  let errors: unknown[] = [];
  for (const [round, waitMs] of ROUNDS_AFTER_MS.slice(0, asks.length === 0 ? 0 : rounds).entries()) {
    if (waitMs > 0) await clock.wait(waitMs);
    errors = [];
    for (const ask of asks) {
      try {
        return await ask(round);
      } catch (error) {
        errors.push(error);
      }
    }
  }
  throw new AggregateError(errors, "no server gave an answer that is taken");
};
