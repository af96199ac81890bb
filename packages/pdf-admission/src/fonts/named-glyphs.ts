/** What a program's glyphs are called, and which its codes are without anything said of them. */
export interface NamedGlyphs {
  names: ReadonlySet<string>;
  /** Those that are not of the standard encoding. */
  codes: ReadonlyMap<number, string>;
  /** Whether there are others, whose names are not known here. */
  hasOthers: boolean;
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
    return own !== name && (own === undefined ? names.has(name) : names.has(own));
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
