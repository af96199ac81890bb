import { type DocumentEvent, definitionOf, documentEvents } from "@rubrica/events";
import { expect, test } from "vitest";
import { documentFold, foldOf } from "../../src/index.ts";

/** The value with a mark in the place of each text in it, and of each that may be left out. */
const marked = (value: unknown, mark: string): unknown => {
  if (typeof value === "string" || value === null) return mark;
  if (Array.isArray(value)) return value.map((item) => marked(item, mark));
  if (typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, marked(item, mark)]));
};

const types = documentEvents.map(({ type }) => type);
const markOf = (type: string): string => `<${type}>`;

/** The catalogue's example of an event, with marks in the place of all that is personal. */
const example = (type: DocumentEvent["type"]): DocumentEvent => {
  const { data, personal } = definitionOf(type).example;
  return { type, data, personal: personal && marked(personal, markOf(type)) } as DocumentEvent;
};

/** Each document of which two more events tell, in each order: what the fold keeps of one may take the other. */
const histories = types.flatMap((first) =>
  types.map((second) => [example("DocumentRequested"), example(first), example(second)]),
);
const stateAfter = (history: readonly DocumentEvent[]): string => JSON.stringify(foldOf(documentFold, history));

test("an erased document keeps nothing of what was personal in any of its events", () => {
  const kept = new Set<string>();
  for (const history of histories) {
    const [before, after] = [stateAfter(history), stateAfter([...history, example("DocumentErased")])];
    for (const type of types) if (before.includes(markOf(type))) kept.add(type);
    const left = types.filter((type) => after.includes(markOf(type)));
    expect(left, `cleared neither by \`erased\` nor by \`namelessSigner\`: ${history.map(({ type }) => type)}`).toEqual(
      [],
    );
  }
  // Else nothing was to be cleared.
  const known = ["DocumentRequested", "DocumentWithdrawn", "Rejected", "SignerCorrected"];
  expect([...kept]).toEqual(expect.arrayContaining(known));
});
