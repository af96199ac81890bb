/**
 * The Distinguished Encoding Rules (ITU-T X.690), as far as CMS, timestamps and revocation lists need
 * them. Reading is strict: a length that is not minimal, or bytes left over, are an error, so that what
 * was read has one encoding only.
 */

const MAX_DEPTH = 40;

/** Tags that are used here. */
export const tag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  objectIdentifier: 0x06,
  enumerated: 0x0a,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  /** A context-specific tag that holds further elements. */
  constructed: (number: number): number => 0xa0 | number,
  /** A context-specific tag that holds bytes. */
  primitive: (number: number): number => 0x80 | number,
} as const;

/** The encoding isn't DER. */
export class NotDer extends Error {
  override name = "NotDer";
}

/** Encodes one element out of its content's parts. */
export const der = (elementTag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([elementTag]), lengthOf(content.length), content]);
};

/** A SEQUENCE. */
export const sequence = (...parts: readonly Uint8Array[]): Buffer => der(tag.sequence, ...parts);

/** A SET OF, in the order that DER demands. */
export const setOf = (...parts: readonly Uint8Array[]): Buffer =>
  der(tag.set, ...[...parts].sort((a, b) => Buffer.compare(a, b)));

/** A non-negative INTEGER out of its big-endian bytes. */
export const unsignedInteger = (value: Uint8Array): Buffer => {
  let start = 0;
  while (start < value.length - 1 && value[start] === 0) start += 1;
  const minimal = value.subarray(start);
  return der(tag.integer, ((minimal[0] ?? 0) & 0x80) !== 0 ? Buffer.from([0]) : Buffer.alloc(0), minimal);
};

/** An INTEGER below 128. */
export const smallInteger = (value: number): Buffer => der(tag.integer, Buffer.from([value]));

/** A BOOLEAN. */
export const boolean = (value: boolean): Buffer => der(tag.boolean, Buffer.from([value ? 0xff : 0]));

/** A BIT STRING of whole octets. */
export const bitString = (value: Uint8Array): Buffer => der(tag.bitString, Buffer.from([0]), value);

/** A UTF8String. */
export const text = (value: string): Buffer => der(tag.utf8String, Buffer.from(value, "utf8"));

/** A time to the second: UTCTime up to 2049, GeneralizedTime from then on (RFC 5280, 4.1.2.5). */
export const time = (epochMs: number): Buffer => {
  const digits = digitsOf(epochMs);
  return digits < "2050" ? der(tag.utcTime, Buffer.from(digits.slice(2))) : generalizedTime(epochMs);
};

/** A time to the second, as GeneralizedTime. */
export const generalizedTime = (epochMs: number): Buffer => der(tag.generalizedTime, Buffer.from(digitsOf(epochMs)));

const digitsOf = (epochMs: number): string => `${new Date(epochMs).toISOString().replace(/\D/g, "").slice(0, 14)}Z`;

/**
 * A UTCTime or a GeneralizedTime in UTC, with seconds (RFC 5280, 4.1.2.5; RFC 3161, 2.4.2, with a fraction), in
 * milliseconds since the UNIX epoch. Throws {@link NotDer}.
 */
export const instantOf = (element: Element | undefined): number => {
  const text = element === undefined ? "" : Buffer.from(element.content).toString("latin1");
  const full = element?.tag === tag.utcTime ? `${text < "50" ? "20" : "19"}${text}` : text;
  const match = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\.\d+)?Z$/.exec(full);
  const isTime = element?.tag === tag.utcTime || element?.tag === tag.generalizedTime;
  if (!isTime || match === null) throw new NotDer("no time");
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second) + Math.floor(Number(match[7] ?? 0) * 1_000);
};

/** An OBJECT IDENTIFIER out of its dotted form. */
export const objectIdentifier = (dotted: string): Buffer => {
  const [first = "0", second = "0", ...rest] = dotted.split(".");
  return der(tag.objectIdentifier, Buffer.from([Number(first) * 40 + Number(second), ...rest.flatMap(base128)]));
};

/** Of a decimal number, which may have 128 bits (ITU-T X.667). */
const base128 = (decimal: string): number[] => {
  const value = BigInt(decimal);
  const digits = [Number(value & 0x7fn)];
  for (let rest = value >> 7n; rest > 0n; rest >>= 7n) digits.unshift(Number(rest & 0x7fn) | 0x80);
  return digits;
};

const lengthOf = (length: number): Buffer => {
  if (length < 0x80) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
};

/** One element of an encoding. */
export interface Element {
  tag: number;
  /** Tag, length and content, as encoded. */
  encoded: Uint8Array;
  content: Uint8Array;
}

/** Reads exactly one element. Throws {@link NotDer}, also for bytes that follow it. */
export const readDer = (bytes: Uint8Array): Element => {
  const element = elementAt(bytes, 0);
  if (element.encoded.length !== bytes.length) throw new NotDer("bytes follow the element");
  return element;
};

/** Reads the first element; bytes that follow are left alone. */
export const readFirst = (bytes: Uint8Array): Element => elementAt(bytes, 0);

/** The elements that an element is made of. */
export const childrenOf = (element: Element): Element[] => {
  const children: Element[] = [];
  for (let offset = 0; offset < element.content.length; ) {
    const child = elementAt(element.content, offset);
    children.push(child);
    offset += child.encoded.length;
  }
  return children;
};

/** Whether an encoding is DER in its structure throughout: minimal lengths, ordered sets, minimal integers. */
export const assertDer = (element: Element, depth = 0): void => {
  if (depth > MAX_DEPTH) throw new NotDer("nested too deeply");
  if (element.tag === tag.boolean && (element.content.length !== 1 || ![0, 0xff].includes(element.content[0] ?? 1))) {
    throw new NotDer("a boolean is not canonical");
  }
  if (element.tag === tag.null && element.content.length !== 0) throw new NotDer("a null is not canonical");
  if (element.tag === tag.integer) assertMinimalInteger(element.content);
  if ((element.tag & 0x20) === 0) return;
  const children = childrenOf(element);
  for (const child of children) assertDer(child, depth + 1);
  if (element.tag === tag.set) {
    for (let index = 1; index < children.length; index += 1) {
      const [previous, current] = [children[index - 1], children[index]];
      if (previous && current && Buffer.compare(previous.encoded, current.encoded) > 0) {
        throw new NotDer("a set is not in order");
      }
    }
  }
};

const assertMinimalInteger = (content: Uint8Array): void => {
  const [first, second = 0] = content;
  if (first === undefined) throw new NotDer("an integer is empty");
  const padded = content.length > 1 && ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80));
  if (padded) throw new NotDer("an integer is not minimal");
};

/** The dotted form of an OBJECT IDENTIFIER. */
export const dottedOf = (element: Element): string => {
  if (element.tag !== tag.objectIdentifier || element.content.length === 0) throw new NotDer("no object identifier");
  const numbers: bigint[] = [];
  let value = 0n;
  for (const byte of element.content) {
    value = (value << 7n) | BigInt(byte & 0x7f);
    if ((byte & 0x80) === 0) {
      numbers.push(value);
      value = 0n;
    }
  }
  const [leading = 0n, ...rest] = numbers;
  const first = Number(leading);
  const root = Math.min(2, Math.floor(first / 40));
  return [root, first - root * 40, ...rest].join(".");
};

const elementAt = (bytes: Uint8Array, offset: number): Element => {
  const elementTag = bytes[offset];
  const first = bytes[offset + 1];
  if (elementTag === undefined || first === undefined) throw new NotDer("the encoding ends early");
  if ((elementTag & 0x1f) === 0x1f) throw new NotDer("a tag is too large");
  let length = first;
  let start = offset + 2;
  if (first >= 0x80) {
    const count = first & 0x7f;
    if (count < 1 || count > 4) throw new NotDer("a length is not definite, or too large");
    length = 0;
    for (let index = 0; index < count; index += 1) length = length * 256 + (bytes[start + index] ?? 0);
    if (length < 0x80 || lengthOf(length).length !== count + 1) throw new NotDer("a length is not minimal");
    start += count;
  }
  if (start + length > bytes.length) throw new NotDer("the encoding ends early");
  return {
    tag: elementTag,
    encoded: bytes.subarray(offset, start + length),
    content: bytes.subarray(start, start + length),
  };
};
