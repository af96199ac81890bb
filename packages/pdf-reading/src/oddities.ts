import { PDFArray, PDFDict, PDFNumber, type PDFObject } from "pdf-lib";

// What is odd about how an object is written: pdf-lib's objects don't show it, so the lexer notes it as it reads.

const holdingStrays = new WeakSet<PDFObject>();
const sayingTwice = new WeakSet<PDFDict>();
const oddNumbers = new WeakSet<PDFObject>();
const reals = new WeakSet<PDFObject>();
const unsigned = new WeakMap<PDFObject, number>();

/** Notes that a dictionary or an array holds what is no object, a value without a key, a key without a value, or a malformed reference. */
export const noteStray = (object: PDFDict | PDFArray): void => void holdingStrays.add(object);

/** Notes that a key stands twice in a dictionary. */
export const noteTwice = (dict: PDFDict): void => void sayingTwice.add(dict);

/** Notes that readers disagree on a number's value. */
export const noteOddNumber = (number: PDFNumber): void => void oddNumbers.add(number);

/** Notes that a number is written with a point. */
export const noteReal = (number: PDFNumber): void => void reals.add(number);

/** Notes that a number is an integer of 32 bits that has the value of one without a sign. */
export const noteUnsigned = (number: PDFNumber, value: number): void => void unsigned.set(number, value);

/** The bits of an integer of 32 bits, whether it is written with a sign or without, as some do the permissions. */
export const bitsOf = (number: PDFNumber): number => (unsigned.get(number) ?? Math.trunc(number.asNumber())) | 0;

/** Whether a dictionary or an array holds something that readers take for different things, or stop at. */
export const holdsStray = (object: PDFObject): boolean => holdingStrays.has(object);

/** Whether a key stands twice in a dictionary itself. */
export const saysTwice = (dict: PDFDict): boolean => sayingTwice.has(dict);

/** Whether a number is malformed (`49-1`, `1e0`, `.5.5`), or larger or longer than readers hold. */
export const isOddNumber = (object: PDFObject): boolean => oddNumbers.has(object);

/** Whether a number is written with a point: some readers ignore it where the standard asks for an integer. */
export const isReal = (object: PDFObject | undefined): boolean => object !== undefined && reals.has(object);

/** Whether readers disagree on what an object says: anywhere within it a key stands twice, a number is odd, or something strays. */
export const isAmbiguous = (object: PDFObject | undefined): boolean => {
  if (object === undefined) return false;
  if (object instanceof PDFNumber) return isOddNumber(object);
  if (holdsStray(object)) return true;
  if (object instanceof PDFArray) return object.asArray().some(isAmbiguous);
  return object instanceof PDFDict && (saysTwice(object) || object.values().some(isAmbiguous));
};
