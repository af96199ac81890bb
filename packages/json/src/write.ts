import { yieldToOthers } from "@rubrica/runtime";
import canonicalize from "canonicalize";

/** So many characters of a text are written at once. */
const PIECE_LENGTH = 524_288;
/** So many characters are written in one iteration of the event loop, unless one piece is longer: some milliseconds of work. */
const SLICE_LENGTH = 131_072;

/** A value as JSON has it; lists may be given as anything that is gone through. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The RFC 8785 canonical JSON of an object, in pieces of which each takes a few milliseconds at most: the elements of
 * its fields that are lists by themselves, and its long texts cut. Joined, they are what `canonicalize` gives.
 *
 * @throws {Error} for what RFC 8785 can't hold: half characters, numbers that are not finite
 */
export const canonicalPieces = (value: JsonObject): Iterable<string> =>
  objectPieces(value, Object.keys(value).sort(), canonicalize);

/** The JSON of an object, likewise in pieces. Joined, they are what `JSON.stringify` gives. */
export const jsonPieces = (value: JsonObject): Iterable<string> =>
  objectPieces(value, Object.keys(value), JSON.stringify);

/** The pieces, made slice by slice. */
export const inSlices = async (pieces: Iterable<string>): Promise<string[]> => {
  const all: string[] = [];
  let ofSlice = 0;
  for (const piece of pieces) {
    all.push(piece);
    ofSlice += piece.length;
    if (ofSlice < SLICE_LENGTH) continue;
    await yieldToOthers();
    ofSlice = 0;
  }
  return all;
};

type Write = (value: unknown) => string | undefined;

function* objectPieces(value: JsonObject, names: readonly string[], write: Write): Generator<string, void, undefined> {
  let before = "{";
  for (const name of names) {
    const field = value[name];
    if (field === undefined) continue;
    yield `${before}${write(name)}:`;
    if (typeof field === "string") yield* textPieces(field, write);
    else if (isList(field)) yield* listPieces(field, write);
    else yield write(field) ?? "null";
    before = ",";
  }
  yield before === "{" ? "{}" : "}";
}

const isList = (value: unknown): value is Iterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.iterator in value;

function* listPieces(list: Iterable<unknown>, write: Write): Generator<string, void, undefined> {
  let before = "[";
  for (const element of list) {
    yield `${before}${write(element) ?? "null"}`;
    before = ",";
  }
  yield before === "[" ? "[]" : "]";
}

function* textPieces(text: string, write: Write): Generator<string, void, undefined> {
  yield '"';
  for (let at = 0; at < text.length; ) {
    let next = Math.min(at + PIECE_LENGTH, text.length);
    // No character is cut in two.
    if (isLowSurrogate(text.charCodeAt(next)) && next > at + 1) next--;
    yield write(text.slice(at, next))?.slice(1, -1) ?? "";
    at = next;
  }
  yield '"';
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
