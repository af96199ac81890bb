import anyAscii from "any-ascii";
import type { Mrz } from "./read.ts";

/** Words that are written or left out as one likes: they tell nobody from anybody. */
const PARTICLES = new Set("DE DEL LA LAS LOS EL Y E DA DAS DO DOS DI DELLA D VON VAN ZU DER DEN TEN TER AL".split(" "));

/** The longest form in which a request shortens a name: `J.`, `Ma.` */
const MAX_ABBREVIATION_LENGTH = 2;

/**
 * The ways in which ICAO 9303-3 (section 6) has letters written that are not A to Z, each document keeping to one. What its
 * tables don't say, other scripts too, goes by the letter's name in ASCII.
 */
const WAYS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replace(/[ÄÆ]/g, "AE").replace(/[ÖØ]/g, "OE").replace(/Ü/g, "UE").replace(/Å/g, "AA"),
  (text) => text.replace(/Ñ/g, "NXX").replace(/Ü/g, "UXX"),
  (text) => text.replace(/Й/g, "I").replace(/Ю/g, "IU").replace(/Я/g, "IA").replace(/Ъ/g, "IE"),
];

/** A word of a name in each of the ways, in their order. Letters A to Z only. */
type Word = readonly string[];

/**
 * The words of a name as a request has it, in any order, each in the ways in which a document may write it. Hyphens part
 * words, apostrophes don't, digits are dropped (ICAO 9303-3, 4.6).
 */
export const wordsOfName = (name: string): Word[] =>
  name
    .normalize("NFC")
    .toUpperCase()
    .replace(/['’‘`´ʼ·]/g, "")
    .split(/[^\p{L}\p{M}]+/u)
    .map((word) => WAYS.map((way) => lettersOf(way(word))))
    .filter(([first]) => first !== "");

const lettersOf = (text: string): string =>
  anyAscii(text)
    .toUpperCase()
    .replace(/[^A-Z]/g, "");

/**
 * Whether a request's name is that of a document's holder, as far as words tell: a surname and a given name are the same,
 * and the rest of one name is within the other, so that either may leave out middle names and second surnames but they
 * never contradict. Order doesn't matter: requests have both. Spelling does: there is no similarity here.
 *
 * @param isWhole when nothing else tells two people apart: then neither may leave out a word that the zone has room for.
 */
export const namesAgree = (mrz: Mrz, name: string, { isWhole }: { isWhole: boolean }): boolean => {
  const words = wordsOfName(name);
  return areJoinedAlike(mrz, words) || areWordsAlike(mrz, words, isWhole);
};

/** Whether the names differ in nothing but where words are parted: `DE LA CRUZ`, `DELACRUZ`. */
const areJoinedAlike = ({ surnames, givenNames }: Mrz, words: readonly Word[]): boolean => {
  if (words.length === 0) return false;
  const joined = [givenNames.concat(surnames), surnames.concat(givenNames)].map((parts) => parts.join(""));
  return WAYS.some((_, way) => joined.includes(words.map((word) => word[way]).join("")));
};

const areWordsAlike = (mrz: Mrz, given: readonly Word[], isWhole: boolean): boolean => {
  const { surnames, givenNames, areNamesCut } = mrz;
  const words = [...given];
  /** Takes the word of each name that has one; what is left are the names without. */
  const withoutWord = (names: readonly string[], fits: (word: Word, name: string) => boolean): string[] =>
    names.filter((name) => {
      const at = words.findIndex((word) => fits(word, name));
      if (at >= 0) words.splice(at, 1);
      return at < 0;
    });

  const isSame = (word: Word, name: string) => word.includes(name);
  const isCut = (word: Word, name: string) => areNamesCut && word.some((text) => text.startsWith(name));
  const isShort = ([first = ""]: Word, name: string) =>
    first.length <= MAX_ABBREVIATION_LENGTH && name.startsWith(first);

  // Whole words first, or a shortened one could take the place of another's.
  const [longSurnames, longGivenNames] = [withoutWord(surnames, isSame), withoutWord(givenNames, isSame)];
  const [otherSurnames, otherGivenNames] = [withoutWord(longSurnames, isCut), withoutWord(longGivenNames, isCut)];
  const others = withoutWord([...otherGivenNames, ...otherSurnames], isShort);
  const isAllNamed = others.every(isParticle);
  const isAllSaid = words.every(([first = ""]) => isParticle(first));

  if (!knowsOne(surnames, otherSurnames)) return false;
  // Who has one name only, or all of them in one field, is known by all of it.
  if (isWhole || givenNames.length === 0) return isAllNamed && (isAllSaid || areNamesCut);
  return knowsOne(givenNames, otherGivenNames) && (isAllNamed || isAllSaid);
};

const isParticle = (word: string): boolean => PARTICLES.has(word);

/** Whether one of the names is not among the others, and more than a particle unless all are (`DAS` is a surname too). */
const knowsOne = (names: readonly string[], others: readonly string[]): boolean => {
  const telling = names.every(isParticle) ? names : names.filter((name) => !isParticle(name));
  return telling.some((name) => !others.includes(name));
};
