import { test } from "vitest";
import { expectAllMetIn, expectOwedIsTakenIn } from "./lives.ts";

test("whatever happens, what is owed is what the deciders take", () => expectOwedIsTakenIn(120));

test("whatever is cut, repeated or raced: everything owed is met, nobody is forgotten, and every line empties", () =>
  expectAllMetIn(800));
