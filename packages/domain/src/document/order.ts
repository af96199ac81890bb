const NUMBER = /^[+-]?\d+(\.\d+)?$/;

/** The kind of a missing or blank position, which comes last; 0: a number, 1: another text. */
const WITHOUT_POSITION = 2;

/** A signer's place: `order` is theirs alone, those of one `group` are asked together. Both from 0. */
export interface SigningPlace {
  order: number;
  group: number;
}

/** A position as it is compared: numbers first, then other texts, then those without one. */
interface Rank {
  kind: 0 | 1 | 2;
  value: number;
  text: string;
}

const rankOf = (position: string | null | undefined): Rank => {
  const text = position?.trim() ?? "";
  if (text === "") return { kind: WITHOUT_POSITION, value: 0, text: "" };
  return NUMBER.test(text) ? { kind: 0, value: Number(text), text: "" } : { kind: 1, value: 0, text };
};

const compare = (a: Rank, b: Rank): number => {
  if (a.kind !== b.kind) return a.kind - b.kind;
  if (a.value !== b.value) return a.value < b.value ? -1 : 1;
  return a.text === b.text ? 0 : a.text < b.text ? -1 : 1;
};

/** Whether signers who follow each other are asked together: they were given the same position. */
const isTogether = (a: Rank | undefined, b: Rank): boolean =>
  a !== undefined && b.kind !== WITHOUT_POSITION && compare(a, b) === 0;

/**
 * Each signer's place in the signing order by the `position` that the request gave them.
 *
 * Positions that are decimal numbers compare as numbers ("2" before "10"), other texts come after the numbers and
 * compare by code unit, missing and blank ones come last, one after the other. Equals keep the order of the input, and
 * are a group where they were given.
 */
export const signingOrder = (positions: readonly (string | null | undefined)[]): SigningPlace[] => {
  const ranked = positions.map((position, index) => ({ rank: rankOf(position), index }));
  // The sort is stable.
  ranked.sort((a, b) => compare(a.rank, b.rank));
  const places = positions.map(() => ({ order: 0, group: 0 }));
  let group = -1;
  ranked.forEach(({ rank, index }, order) => {
    if (!isTogether(ranked[order - 1]?.rank, rank)) group += 1;
    places[index] = { order, group };
  });
  return places;
};
