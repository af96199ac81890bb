import { atFirstUse } from "@rubrica/runtime";

/** It loads tables of the whole of Unicode. */
const segmenter = atFirstUse(() => new Intl.Segmenter("en", { granularity: "grapheme" }));

/** The characters of a text, as they are perceived. */
export const graphemesOf = (text: string): string[] => [...segmenter().segment(text)].map(({ segment }) => segment);
