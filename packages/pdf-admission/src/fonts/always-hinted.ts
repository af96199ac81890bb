/**
 * Programs of TrueType whose hints some readers run in each size, whatever they run else: FreeType knows them as ones whose
 * outlines are nothing without hints (its src/truetype/ttobjs.c, `tt_check_trickyness`), by their family's name or by
 * their tables.
 */

/** Parts of families' names. */
const FAMILIES = [
  ...["cpop", "DFGirl-W6-WIN-BF", "DFGothic-EB", "DFGyoSho-Lt", "DFHei", "DFHSGothic-W5", "DFHSMincho-W", "DFKai"],
  ...["DFMing", "DLC", "HuaTianKaiTi", "HuaTianSongTi", "Ming(for ISO10646)", "MingLi", "MingMedium"],
];
/** How many bytes their `fpgm` and `prep` have; sums of them that FreeType looks at as well can be made. */
const LENGTHS = new Set([
  "229 3946",
  "229 4476",
  "229 7338",
  "321 8832",
  "358 8880",
  "413 7656",
  "413 8928",
  "413 9362",
  "450 7704",
  "459 8090",
  "496 8138",
  "22698 53",
  "26479 952",
  "27214 896",
  "28841 604",
  "29023 956",
  "29869 891",
  "31040 1535",
  "32481 1055",
  "34203 715",
  "34727 1880",
  "34756 481",
  "35224 126",
  "36394 122",
  "36963 126",
  "48261 69",
  "48802 8",
  "49262 130",
  "97337 8",
]);
const NOTHING = new Uint8Array();

/** Whether readers that run no hints run those of a program. */
export const isHintedForAll = (tables: ReadonlyMap<string, Uint8Array>): boolean => {
  const lengths = ["fpgm", "prep"].map((name) => tables.get(name)?.length ?? 0);
  // Letters of one byte and of two are the same without zeros.
  const names = Buffer.from(tables.get("name") ?? NOTHING)
    .toString("latin1")
    .replaceAll("\0", "");
  return LENGTHS.has(lengths.join(" ")) || FAMILIES.some((family) => names.includes(family));
};
