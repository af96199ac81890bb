import type { Fault } from "@rubrica/http";

const MAX_NAMED = 5;

/** What is wrong with names that have characters that can't be printed, by their paths. */
export const undrawableFaults = (undrawable: readonly string[][], pathOf: (index: number) => string): Fault[] =>
  undrawable.flatMap((characters, index) =>
    characters.length === 0
      ? []
      : [{ path: pathOf(index), message: `has characters that can't be printed: ${namesOf(characters)}` }],
  );

/** Each with its code points: it may look like another, or like nothing, where the message is read. */
const namesOf = (characters: readonly string[]): string => {
  const named = characters.slice(0, MAX_NAMED).map((character) => `${character} (${codePointsOf(character)})`);
  return [...named, ...(characters.length > MAX_NAMED ? ["…"] : [])].join(", ");
};

const codePointsOf = (text: string): string =>
  Array.from(text, (character) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`)
    .slice(0, MAX_NAMED)
    .join(" ");
