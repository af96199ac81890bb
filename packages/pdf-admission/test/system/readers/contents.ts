import { seededRandom } from "@rubrica/runtime/testing";
import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";

/** Files whose content was made up, and its syntax changed, by chance: readers go on each in its own way where it is broken. */

type Pick = <Item>(items: readonly Item[]) => Item;

const painted: readonly string[] = [
  "0 0 1 rg 20 20 60 60 re f",
  "1 0 0 RG 10 w 20 100 m 180 100 l S",
  "10 w 1 J [20 20] 5 d 20 150 m 180 150 l S [] 0 d",
  "0 1 1 rg 100 20 m 160 20 l 160 80 l h f*",
  "BT /F1 40 Tf 20 100 Td (HHH) Tj ET",
  "BT /F1 40 Tf 1 0 0 1 20 40 Tm 30 TL [(H) -500 (H)] TJ T* (II) ' ET",
  "q 1 0 0 1 30 30 cm 0.5 g 0 0 50 50 re f Q",
  "q 20 20 100 100 re W n 0 1 0 rg 0 0 200 200 re f Q",
  "/DeviceRGB cs 1 0 1 scn 120 120 60 60 re f",
  "q 60 0 0 60 20 120 cm BI /W 2 /H 1 /BPC 8 /CS /RGB ID abcabc\nEI Q",
  "/A <</B [1 2]>> BDC 1 0 0 rg 140 20 40 40 re f EMC",
  "/X Do",
  "q 2 0 0 2 0 0 cm /X Do Q",
];
const numbers = "--5 +-1 5-3 1.2.3 . - +1 5. 1e2 5E-1 0x32 99999999999 -40 0 1.5 inf 16#32".split(" ");
const words: readonly string[] = [
  ..."q Q BT ET f n W S BX EX EMC h Do Tj rg re cm w d TJ foo rgre qBT null true BI ID EI d0 R".split(" "),
  ...[
    "(",
    ")",
    "<",
    ">",
    "[",
    "]",
    "<<",
    ">>",
    "{",
    "}",
    "%",
    "/A",
    "/",
    "(H)",
    "<48>",
    "[1 2]",
    "<</A 1>>",
    "5",
    "7 7",
  ],
];

/** Changes one token of a content, or what stands between two. */
const changes: readonly ((tokens: string[], at: number, pick: Pick) => void)[] = [
  (tokens, at) => tokens.splice(at, 1),
  (tokens, at) => tokens.splice(at, 0, tokens[at] ?? ""),
  (tokens, at, pick) => tokens.splice(at, 0, pick(words)),
  (tokens, at, pick) => tokens.splice(at, 0, pick(words)),
  (tokens, at, pick) => tokens.splice(at, 1, pick(words)),
  (tokens, at, pick) => tokens.splice(at, 1, pick(numbers)),
  (tokens, at, pick) => {
    const places = tokens.flatMap((token, index) => (/^-?[\d.]+$/.test(token) ? [index] : []));
    tokens.splice(places[at % Math.max(places.length, 1)] ?? at, 1, pick(numbers));
  },
  (tokens, at) => tokens.splice(at, 2, (tokens[at] ?? "") + (tokens[at + 1] ?? "")),
  (tokens, at) => tokens.splice(at, 2, tokens[at + 1] ?? "", tokens[at] ?? ""),
  (tokens, at) => tokens.splice(at, 1, (tokens[at] ?? "").slice(0, -1)),
];

/** One file, by its seed: some of its content is in a form. */
export const contentOf = (seed: number): Uint8Array => {
  const random = seededRandom(seed);
  const pick: Pick = (items) => items[Math.floor(random.fraction() * items.length)] as (typeof items)[number];
  const madeOf = (all: readonly string[], isChanged: boolean): string => {
    const tokens = Array.from({ length: pick([1, 2, 3]) }, () => pick(all))
      .join(" ")
      .split(" ");
    for (let left = isChanged ? pick([1, 1, 2]) : 0; left > 0; left--)
      pick(changes)(tokens, Math.floor(random.fraction() * tokens.length), pick);
    return tokens.join(" ");
  };
  const isForm = pick([true, false, false]);
  const form = madeOf(painted.slice(0, -2), isForm);
  const content = `0 1 0 rg 0 0 20 20 re f ${madeOf(painted, !isForm)} ${pick(painted)}`;
  return pdf({
    pages: [{ entries: "/MediaBox[0 0 200 200]", content, resources: "/XObject<</X 6 0 R>>" }],
    objects: [streamOf(form, "/Type/XObject/Subtype/Form/BBox[0 0 200 200]/Resources<</Font<</F1 3 0 R>>>>")],
  });
};
