const NUMBER = /^[+-]?\d+(\.\d+)?$/;

/** A position as it is compared: numbers first, then other texts, then those without one. */
interface Rank {
  group: 0 | 1 | 2;
  value: number;
  text: string;
}

const rankOf = (position: string | null | undefined): Rank => {
  const text = position?.trim() ?? "";
  if (text === "") return { group: 2, value: 0, text: "" };
  return NUMBER.test(text) ? { group: 0, value: Number(text), text: "" } : { group: 1, value: 0, text };
};

const compare = (a: Rank, b: Rank): number => {
  if (a.group !== b.group) return a.group - b.group;
  if (a.value !== b.value) return a.value < b.value ? -1 : 1;
  return a.text === b.text ? 0 : a.text < b.text ? -1 : 1;
};

/**
 * Each signer's place in the signing order, from 0, by the `position` that the request gave them.
 *
 * Positions that are decimal numbers compare as numbers ("2" before "10"), other texts come after the numbers and
 * compare by code unit, missing and blank ones come last. Equals keep the order of the input.
 */
export const signingOrder = (positions: readonly (string | null | undefined)[]): number[] => {
  const ranked = positions.map((position, index) => ({ rank: rankOf(position), index }));
  // The sort is stable.
  ranked.sort((a, b) => compare(a.rank, b.rank));
  const order = new Array<number>(positions.length).fill(0);
  ranked.forEach(({ index }, place) => {
    order[index] = place;
  });
  return order;
};
