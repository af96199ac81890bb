import { test } from "vitest";
import { expectAllMetIn, expectOwedIsTakenIn } from "../lives.ts";

/** Of the first kind, which is judged after each step, as many take ten times as long: `npm run test:long` asks for them. */
const LIVES = Number(process.env.RUBRICA_LIVES ?? 1_000);
/** Always the same ones, where no number is asked for, as in `simulation.spec.ts`. */
const SEED = process.env.RUBRICA_LIVES === undefined ? 28 : undefined;

test("whatever happens, what is owed is what the deciders take", () => expectOwedIsTakenIn(LIVES, SEED), 900_000);

test(
  "whatever is cut, repeated or raced: everything owed is met, nobody is forgotten, and every line empties",
  () => expectAllMetIn(Math.max(LIVES, 5_000), SEED),
  900_000,
);
