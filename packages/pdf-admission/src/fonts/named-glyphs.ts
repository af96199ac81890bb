export type SaidBox = "some" | "empty" | "none";

/** What a program's glyphs are called, and which its codes are without anything said of them. */
export interface NamedGlyphs {
  names: ReadonlySet<string>;
  /** Those that are not of the standard encoding; "" for a name that is not known here. */
  codes: ReadonlyMap<number, string>;
  /** Whether some readers pass over these, and take the standard ones. */
  areOverlooked?: boolean;
  /** The glyphs by their names, of two the first one, in CFF. */
  numbers?: ReadonlyMap<string, number>;
  /** Whether there are others, whose names are not known here. */
  hasOthers: boolean;
  /** Whether nothing is seen of the sign for a glyph that there is not. */
  hasBlankSign: boolean;
  /** How many there are, where fonts of many characters take them by their numbers. */
  numbered?: number | undefined;
  /** Whether they are of characters that have other numbers than the glyphs. */
  isReordered?: boolean;
  /** Of what size of text a unit of theirs is, where it is one for all. */
  scale?: number | undefined;
  /** The same for the sides of boxes. */
  unit?: number | undefined;
  /** How far glyphs reach to each side, as shares of the text's size; undefined where none has an outline. */
  reach?: readonly number[] | undefined;
  /** What the program says that they are within: a box, an empty one, or nothing. */
  box?: SaidBox;
  /** Whether some glyph goes beyond that. */
  isBeyondBox?: boolean;
}

/** Names of the characters from 32 to 126, in the order of both the standard encoding and the names that CFF has. */
export const ASCII_NAMES: readonly string[] = [
  "space exclam quotedbl numbersign dollar percent ampersand quoteright parenleft parenright asterisk plus comma hyphen",
  "period slash zero one two three four five six seven eight nine colon semicolon less equal greater question at",
  "A B C D E F G H I J K L M N O P Q R S T U V W X Y Z bracketleft backslash bracketright asciicircum underscore",
  "quoteleft a b c d e f g h i j k l m n o p q r s t u v w x y z braceleft bar braceright asciitilde",
]
  .join(" ")
  .split(" ");
const FIRST = 32;
/** Those of the standard encoding beyond these, in the order of their codes. */
const BEYOND_ASCII: readonly string[] = [
  "exclamdown cent sterling fraction yen florin section currency quotesingle quotedblleft guillemotleft",
  "guilsinglleft guilsinglright fi fl endash dagger daggerdbl periodcentered paragraph bullet quotesinglbase",
  "quotedblbase quotedblright guillemotright ellipsis perthousand questiondown grave acute circumflex tilde",
  "macron breve dotaccent dieresis ring cedilla hungarumlaut ogonek caron emdash AE ordfeminine Lslash Oslash OE",
  "ordmasculine ae dotlessi lslash oslash oe germandbls",
]
  .join(" ")
  .split(" ");
/** Names that follow in CFF. */
const OTHERS: readonly string[] = [
  "onesuperior logicalnot mu trademark Eth onehalf plusminus Thorn onequarter divide brokenbar degree thorn",
  "threequarters twosuperior registered minus eth multiply threesuperior copyright Aacute Acircumflex Adieresis",
  "Agrave Aring Atilde Ccedilla Eacute Ecircumflex Edieresis Egrave Iacute Icircumflex Idieresis Igrave Ntilde",
  "Oacute Ocircumflex Odieresis Ograve Otilde Scaron Uacute Ucircumflex Udieresis Ugrave Yacute Ydieresis Zcaron",
  "aacute acircumflex adieresis agrave aring atilde ccedilla eacute ecircumflex edieresis egrave iacute",
  "icircumflex idieresis igrave ntilde oacute ocircumflex odieresis ograve otilde scaron uacute ucircumflex",
  "udieresis ugrave yacute ydieresis zcaron",
]
  .join(" ")
  .split(" ");
const codesTo = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index);
const CODES_BEYOND: readonly number[] = [
  ...[...codesTo(0xa1, 0xaf), ...codesTo(0xb1, 0xb4), ...codesTo(0xb6, 0xbd), 0xbf, ...codesTo(0xc1, 0xc8), 0xca, 0xcb],
  ...[...codesTo(0xcd, 0xd0), 0xe1, 0xe3, ...codesTo(0xe8, 0xeb), 0xf1, 0xf5, ...codesTo(0xf8, 0xfb)],
];

/** Of characters that most fonts have, in the order that they have in CFF, from 1 on. */
export const COMMON_NAMES: readonly string[] = [...ASCII_NAMES, ...BEYOND_ASCII, ...OTHERS];
const standard: ReadonlyMap<number, string> = new Map([
  ...ASCII_NAMES.map((name, index): [number, string] => [FIRST + index, name]),
  ...BEYOND_ASCII.map((name, index): [number, string] => [CODES_BEYOND[index] ?? 0, name]),
]);
/** What a code is called by the standard encoding (ISO 32000-2, D.2). */
export const standardName = (code: number): string | undefined => standard.get(code);
const ascii = new Set(ASCII_NAMES);
const FIGURES = new Set(ASCII_NAMES.slice(0x30 - FIRST, 0x3a - FIRST));
const NONE = ".notdef";
/** Of such a form is no name that CFF has. */
const OF_A_NUMBER = /^(?:uni[\dA-F]{4,}|\d+|[A-Za-z]{1,5}\d+|u[\dA-F]{4,6}|[^.]+\..+)$/;

/** Whether some character from 32 to 126 is another one by a program's own encoding than by the standard one. */
export const isOwnEncoding = ({ names, codes }: NamedGlyphs): boolean =>
  codes.size > 0 &&
  ASCII_NAMES.some((name, index) => {
    const own = codes.get(index + FIRST);
    return own !== name && (own === "" || names.has(own ?? name));
  });

/**
 * Whether a code that is given a name has another glyph for readers that go by the code where the program does not have
 * the name; others show that there is none. Programs often lack glyphs that nothing shows: it counts for figures, and
 * for names that are numbers.
 */
export const fallsBack = (code: number, name: string, { names, codes, hasOthers }: NamedGlyphs): boolean => {
  if (names.has(name)) return false;
  const isOfNumber = OF_A_NUMBER.test(name);
  if (hasOthers && !ascii.has(name) && !isOfNumber && name !== NONE) return false;
  const own = [codes.get(code), ASCII_NAMES[code - FIRST]].filter((one) => one !== undefined && one !== name);
  const isDoubtful = isOfNumber || own.some((one) => FIGURES.has(one ?? ""));
  return isDoubtful && own.some((one) => names.has(one ?? ""));
};
