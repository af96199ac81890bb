import { expect, test } from "vitest";
import {
  ARRAY,
  BROKEN,
  CONSTANT,
  ContentTokens,
  DICT,
  END,
  END_OF_ARRAY,
  END_OF_DICT,
  NAME,
  NUMBER,
  STRING,
  WORD,
} from "../src/content-tokens.ts";

const names = {
  [NUMBER]: "number",
  [NAME]: "name",
  [STRING]: "string",
  [ARRAY]: "[",
  [DICT]: "<<",
  [CONSTANT]: "constant",
  [WORD]: "word",
  [BROKEN]: "broken",
  [END_OF_ARRAY]: "]",
  [END_OF_DICT]: ">>",
} as const;

/** The tokens of a content; a question mark follows those that are doubtful. */
const read = (content: string, seams: readonly number[] = []): string[] => {
  const tokens = new ContentTokens(Buffer.from(content, "latin1"), seams);
  const found: string[] = [];
  for (let kind = tokens.take(); kind !== END; kind = tokens.take()) {
    found.push(`${names[kind as keyof typeof names]}${tokens.isDoubtful ? "?" : ""}`);
    if (kind === BROKEN) break;
  }
  return found;
};

test.each([
  ["", []],
  [" \0\t% to the end", []],
  ["1 -2.50 +.5 . 0.001%3\r4", ["number", "number", "number", "number", "number", "number"]],
  ["/F1 12 Tf(a\\)(b))Tj<61 6>Tj", ["name", "number", "word", "string", "word", "string", "word"]],
  ["[(a)-3]TJ", ["[", "string", "number", "]", "word"]],
  ["/OC<</A true/B[null]>>BDC", ["name", "<<", "name", "constant", "name", "[", "constant", "]", ">>", "word"]],
  ["truly nul", ["word", "word"]],
])("%j has the tokens of the syntax", (content, tokens) => expect(read(content)).toEqual(tokens));

test.each([
  ["--5 1.2-3 1.2.3", ["number?", "number?", "number?"]],
  ["1e5 2a", ["word?", "word?"]],
  ["-\0 5 -\n5 - 5", ["number?", "number", "number?", "number", "number", "number"]],
  ["10000001 10000000", ["number?", "number"]],
  [`0.${"1".repeat(70)}`, ["number?"]],
  [`/${"n".repeat(255)} /n`, ["name?", "name"]],
  ["(\\777) (\\377)", ["string?", "string"]],
  ["<6g> <66>", ["string?", "string"]],
  [`(${"s".repeat(32_000)})`, ["string?"]],
])("what only some readers take so is doubtful: %j", (content, tokens) => expect(read(content)).toEqual(tokens));

test.each(["(a", "<61", ">", ")", "{", "}"])("%j is broken", (content) => expect(read(content)).toEqual(["broken"]));

test("a string over the end of a part is doubtful, a comment over it is broken, a list is neither", () => {
  expect(read("(a\nb)", [2])).toEqual(["string?"]);
  expect(read("1 %a\n2", [4])).toEqual(["number", "broken"]);
  expect(read("[1\n2]", [2])).toEqual(["[", "number", "number", "]"]);
});

test("a number has its value", () => {
  const tokens = new ContentTokens(Buffer.from("-0.25"));
  tokens.take();
  expect(tokens).toMatchObject({ value: -0.25, start: 0, at: 5 });
});
