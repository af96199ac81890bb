import { seededRandom } from "@rubrica/runtime/testing";
import { pdf } from "@rubrica/test-kit/pdf/fixtures";

/**
 * Pairs of files that show one character each, in a font that the files do not bring along, said in two ways: readers draw
 * it with fonts of their own, so that only whether both show the same can be compared.
 */

type Pick = <Item>(items: readonly Item[]) => Item;

const families = ["Arial", "Helvetica", "TimesNewRoman", "Times-Roman", "Courier", "CourierNew", "Calibri", "Verdana"];
/** No Dingbats: Poppler takes them from the machine, whose fonts may lack some. */
const names = [...families, "Wingdings", "Symbol", "Symbol", "ComicSansMS", "Georgia", "Own", "MSung", "HeiseiMin"];
const styles = ["", "", "-Bold", ",Italic", "-BoldItalic", "MT", "PS"];
const encodings = ["WinAnsiEncoding", "MacRomanEncoding", "StandardEncoding", "MacExpertEncoding"];
/** Characters, and names for them that some reader knows. */
const characters: readonly (readonly [code: number, ...names: string[]])[] = [
  [0x31, "one", "uni0031", "u0031", "g20", "c49", "one.alt", "G31"],
  [0x37, "seven", "uni0037", "u0037", "g26", "c55", "seven.alt", "G37"],
  [0x41, "A", "uni0041", "Asmall", "Alpha"],
  [0x61, "a", "uni0061", "a49", "alpha"],
];

const inHex = (code: number, digits: number): string => `<${code.toString(16).padStart(digits, "0")}>`;
const page = (shown: string, font: string, ...objects: readonly string[]): Uint8Array =>
  pdf({
    pages: [{ entries: "/MediaBox[0 0 200 200]", content: `BT /T 200 Tf 30 30 Td ${shown} Tj ET`, fonts: "/T 6 0 R" }],
    objects: [font, ...objects],
  });

const descriptor = (name: string, flags: number): string =>
  `/FontDescriptor<</Type/FontDescriptor/FontName/${name}/Flags ${flags}/FontBBox[0 -200 1000 900]/ItalicAngle 0/Ascent 900/Descent -200/CapHeight 700/StemV 80>>`;

/** One code that names say to be another character, beside that character by its own code. */
const simple = (pick: Pick): [Uint8Array, Uint8Array] => {
  const name = `${pick(names)}${pick(styles)}`;
  const described = pick(["", descriptor(name, pick([0, 4, 32, 36, 262_176, 6]))]);
  const widths = pick(["", `/FirstChar 32/LastChar 126/Widths[${"556 ".repeat(95)}]`]);
  const font = (encoding: string) =>
    `<</Type/Font/Subtype/${pick(["TrueType", "Type1", "MMType1"])}/BaseFont/${name}${encoding}${widths}${described}>>`;
  const [[code], [other, ...called]] = [pick(characters), pick(characters)];
  const base = pick(["", ...encodings.map((encoding) => `/BaseEncoding/${encoding}`)]);
  const named = font(`/Encoding<<${base}/Differences[${code}/${pick(called)}]>>`);
  const plain = pick([named.replace(/\/Encoding<<.*?>>/, ""), named.replace(/\/Differences\[.*?\]/, "")]);
  return [page(inHex(code, 2), named), page(inHex(other, 2), plain)];
};

const collections: readonly (readonly [collection: string, map: string, bytes: number])[] = [
  ["Japan1", "UniJIS-UCS2-H", 4],
  ["Japan1", "UniJIS-UTF16-H", 4],
  ["Japan1", "90ms-RKSJ-H", 2],
  ["Japan1", "90msp-RKSJ-H", 2],
  ["GB1", "UniGB-UCS2-H", 4],
  ["GB1", "GBK-EUC-H", 2],
  ["CNS1", "UniCNS-UCS2-H", 4],
  ["CNS1", "ETen-B5-H", 2],
  ["Korea1", "UniKS-UCS2-H", 4],
  ["Korea1", "KSCms-UHC-H", 2],
];

const unicodeMap = (code: string, shown: number): string => {
  const text = `begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange 1 beginbfchar ${code} ${inHex(shown, 4)} endbfchar endcmap`;
  return `<</Length ${text.length}>>stream\n${text}\nendstream`;
};

/** One character of a collection, with and without what says that it is another one. */
const composite = (pick: Pick): [Uint8Array, Uint8Array] => {
  const [collection, map, digits] = pick(collections);
  const name = `${pick(names)}${pick(styles)}`;
  const subtype = pick(["CIDFontType0", "CIDFontType2"]);
  const described = pick(["", descriptor(name, pick([4, 32, 6]))]);
  const [[code], [other]] = [pick(characters), pick(characters)];
  const own = pick(["", "/CIDToGIDMap/Identity"]);
  const font = (said: string, ofDescendant: string) =>
    `<</Type/Font/Subtype/Type0/BaseFont/${name}/Encoding/${map}${said}/DescendantFonts[<</Type/Font/Subtype/${subtype}/BaseFont/${name}/CIDSystemInfo<</Registry(Adobe)/Ordering(${collection})/Supplement 0>>${ofDescendant}${described}>>]>>`;
  const shown = inHex(code, digits);
  return [
    page(shown, font(pick(["", "/ToUnicode 7 0 R"]), own), unicodeMap(shown, other)),
    page(shown, font("", ""), unicodeMap(shown, other)),
  ];
};

/** Two files, by their seed. */
export const borrowedOf = (seed: number): [Uint8Array, Uint8Array] => {
  const random = seededRandom(seed);
  const pick: Pick = (items) => items[Math.floor(random.fraction() * items.length)] as (typeof items)[number];
  return pick([simple, simple, composite])(pick);
};
