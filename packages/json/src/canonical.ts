import canonicalize from "canonicalize";

/** So many characters of a text are written at once. */
const PIECE_LENGTH = 524_288;

/** A value as JSON has it; lists may be given as anything that is gone through. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The RFC 8785 canonical JSON of an object, in pieces of which each takes a few milliseconds at most: the elements of
 * its fields that are lists by themselves, and its long texts cut. Joined, they are what `canonicalize` gives.
 *
 * @throws {Error} for what RFC 8785 can't hold: half characters, numbers that are not finite
 */
export function* canonicalPieces(value: JsonObject): Generator<string, void, undefined> {
  let before = "{";
  for (const name of Object.keys(value).sort()) {
    const field = value[name];
    if (field === undefined) continue;
    yield `${before}${canonicalize(name)}:`;
    if (typeof field === "string") yield* textPieces(field);
    else if (isList(field)) yield* listPieces(field);
    else yield canonicalize(field) ?? "null";
    before = ",";
  }
  yield before === "{" ? "{}" : "}";
}

const isList = (value: unknown): value is Iterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.iterator in value;

function* listPieces(list: Iterable<unknown>): Generator<string, void, undefined> {
  let before = "[";
  for (const element of list) {
    yield `${before}${canonicalize(element) ?? "null"}`;
    before = ",";
  }
  yield before === "[" ? "[]" : "]";
}

function* textPieces(text: string): Generator<string, void, undefined> {
  if (!text.isWellFormed()) throw new Error("half a character can't be written");
  yield '"';
  for (let at = 0; at < text.length; ) {
    let next = Math.min(at + PIECE_LENGTH, text.length);
    if (isLowSurrogate(text.charCodeAt(next))) next--;
    yield JSON.stringify(text.slice(at, next)).slice(1, -1);
    at = next;
  }
  yield '"';
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
