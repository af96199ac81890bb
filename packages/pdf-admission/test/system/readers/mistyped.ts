import { seededRandom } from "@rubrica/runtime/testing";
import {
  PDFArray,
  PDFBool,
  PDFDict,
  PDFDocument,
  PDFHexString,
  PDFName,
  PDFNull,
  PDFNumber,
  type PDFObject,
  PDFRawStream,
  PDFRef,
} from "pdf-lib";
import { colorsOf } from "./colors.ts";
import { contentOf } from "./contents.ts";
import { fontOf } from "./fonts.ts";
import { groupsOf } from "./groups.ts";
import { kindOf } from "./kinds.ts";
import { outlinedOf } from "./outlined.ts";
import { resourcesOf } from "./resources.ts";

/**
 * Files of all the other kinds in which one value stands in the place of another, of another type or size, or in a dictionary
 * that has no such entry. Left out: what takes a
 * font away, for which each reader has its own, and boxes of pages, which each reader rounds in its own way.
 */

const makers = [kindOf, fontOf, contentOf, resourcesOf, groupsOf, colorsOf, outlinedOf];

type Pick = <Item>(items: readonly Item[]) => Item;

const LEFT_OUT = ["FontDescriptor", "FontFile", "FontFile2", "FontFile3", "MediaBox", "CropBox"].map((key) =>
  PDFName.of(key),
);

/** Names of entries within content, which some readers heed elsewhere too. */
const SHORT = "W H BPC CS D DP F FFilter FDecodeParms IM I".split(" ").map((key) => PDFName.of(key));
/** How many of the files have an entry more, in the place of another value. */
const STRANGE = 0.3;

/** A place in which a value stands. */
interface Place {
  value: PDFObject;
  put(value: PDFObject | undefined): void;
}

/** All places of a value's parts, at any depth. */
const placesWithin = (object: PDFObject): Place[] => {
  if (object instanceof PDFRawStream) return placesWithin(object.dict);
  const own: Place[] = [];
  if (object instanceof PDFDict) {
    for (const [key, value] of object.entries()) {
      if (LEFT_OUT.includes(key)) continue;
      own.push({ value, put: (other) => (other ? object.set(key, other) : void object.delete(key)) });
    }
  }
  if (object instanceof PDFArray) {
    for (const [index, value] of object.asArray().entries()) {
      own.push({ value, put: (other) => (other ? object.set(index, other) : void object.remove(index)) });
    }
  }
  return own.flatMap((place) => [place, ...placesWithin(place.value)]);
};

/** All dictionaries within a value, itself among them. */
const dictsWithin = (object: PDFObject): PDFDict[] => {
  if (object instanceof PDFRawStream) return dictsWithin(object.dict);
  if (object instanceof PDFArray) return object.asArray().flatMap(dictsWithin);
  return object instanceof PDFDict ? [object, ...object.values().flatMap(dictsWithin)] : [];
};

/** The same down to what is referred to: a dictionary must not come to lie within itself. */
const copyOf = (object: PDFObject): PDFObject => {
  if (object instanceof PDFDict) {
    const copy = object.clone();
    for (const [key, value] of object.entries()) copy.set(key, copyOf(value));
    return copy;
  }
  if (!(object instanceof PDFArray)) return object;
  const copy = object.clone();
  for (const [index, value] of object.asArray().entries()) copy.set(index, copyOf(value));
  return copy;
};

/** What may come in the place of a value; undefined for nothing at all. */
const anotherFor = (value: PDFObject, document: PDFDocument, pick: Pick): PDFObject | undefined => {
  const { context } = document;
  const resolved = context.lookup(value);
  const stream = (dict: PDFDict): PDFRef => context.register(PDFRawStream.of(dict, new Uint8Array()));
  const anyDict = resolved instanceof PDFRawStream ? resolved.dict : resolved instanceof PDFDict ? resolved : undefined;
  const items = resolved instanceof PDFArray ? resolved.asArray() : [];
  const number = resolved instanceof PDFNumber ? resolved.asNumber() : 1;
  const others: (() => PDFObject | undefined)[] = [
    () => undefined,
    () => PDFNull,
    () => PDFBool.True,
    () => PDFName.of("Odd"),
    () => PDFHexString.of("414243"),
    () => context.obj([]),
    () => context.obj([copyOf(value)]),
    () => context.obj({}),
    () => PDFRef.of(999),
    () => context.register(value instanceof PDFRef ? (resolved ?? PDFNull) : value),
    ...(anyDict ? [() => stream(copyOf(anyDict) as PDFDict), () => copyOf(anyDict)] : [() => stream(context.obj({}))]),
    ...(items.length > 0
      ? [
          () => context.obj(items.slice(1)),
          () => context.obj([...items, ...items]),
          () => items[0],
          () => context.obj(items.toReversed()),
        ]
      : []),
    ...[0, 1, -1, 2, -number, number + 0.5, number * 2, 100_000].map((other) => () => PDFNumber.of(other)),
  ];
  return pick(others)();
};

/** Puts a value into a dictionary under a name that another one has, or that only some readers know there. */
const putElsewhere = (objects: readonly PDFObject[], pick: Pick, value = PDFNull as PDFObject): void => {
  const dicts = objects.flatMap(dictsWithin);
  const keys = [...SHORT, ...new Set(dicts.flatMap((dict) => dict.keys()))].filter((key) => !LEFT_OUT.includes(key));
  pick(dicts).set(pick(keys), value);
};

/** One file, by its seed. */
export const mistypedOf = async (seed: number): Promise<Uint8Array> => {
  const random = seededRandom(seed);
  const pick: Pick = (items) => items[Math.floor(random.fraction() * items.length)] as never;
  const bytes = pick(makers)(seed);
  const document = await PDFDocument.load(bytes, { updateMetadata: false, throwOnInvalidObject: false });
  const objects = document.context.enumerateIndirectObjects().map(([, object]) => object);
  const place = pick(objects.flatMap(placesWithin));
  if (random.fraction() < STRANGE) putElsewhere(objects, pick, anotherFor(place.value, document, pick));
  else place.put(anotherFor(place.value, document, pick));
  return document.save({ useObjectStreams: false, addDefaultPage: false, updateFieldAppearances: false });
};
