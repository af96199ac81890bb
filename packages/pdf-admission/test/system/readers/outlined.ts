import { seededRandom } from "@rubrica/runtime/testing";
import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";

/**
 * Files of areas with lines around them, some of them dashed, and of forms within forms, that are seen through, made up by
 * chance. Left out: lines around letters, which are of a dot's width.
 */

type Pick = <Item>(items: readonly Item[]) => Item;

const [OUTER, INNER, INMOST] = [6, 7, 8] as const;
const form = "/Type/XObject/Subtype/Form/BBox[0 0 200 200]";
const states =
  "/ExtGState<</Half<</ca .5/CA .5>>/Lines<</CA .5>>/Areas<</ca .5>>/Whole<</ca 1/CA 1>>/Multiply<</BM/Multiply>>/Normal<</BM/Normal>>>>";
const named = `/XObject<</Outer ${OUTER} 0 R/Inner ${INNER} 0 R/Inmost ${INMOST} 0 R>>`;
const resources = `${states}${named}/Font<</F1 3 0 R>>`;

const settings: readonly string[] = ["/Half gs", "/Half gs", "/Half gs", "/Lines gs", "/Areas gs", "/Whole gs", ""];
const paths: readonly string[] = [
  "40 40 120 120 re",
  "160 160 -120 -120 re",
  "40 40 m 160 40 l 160 160 l",
  "40 40 m 160 40 l 160 160 l h",
  "40 40 m 40 180 160 180 160 40 c",
  "40 40 120 120 re 80 80 40 40 re",
  "40 40 120 120 re 80 80 m 120 80 l 120 120 l",
  "40 40 120 120 re 20 20 m 180 20 l",
  "80 80 40 40 re 20 180 l",
  "40 40 m 160 40 l 100 160 l h 180 180 l",
  "100 40 m 180 40 180 160 100 160 c 20 160 20 40 100 40 c h 20 20 l",
  "20 100 m 180 100 l",
  "",
];
const within: readonly string[] = ["", "", "", "", "", "", "0 1 0 rg", "/A BMC", "10 w", "/Half gs"];
const dashes: readonly string[] = [
  "",
  "",
  "",
  "[60 40] 0 d",
  "[100 40] 60 d",
  "[200 100] 250 d",
  "[70] 30 d",
  "[] 0 d",
];
const clips: readonly string[] = ["", "", "", "W", "W*"];
const painting: readonly string[] = ["B", "B", "B*", "b", "b*", "S", "f", "n"];
const groups: readonly string[] = ["", "", "", "/Group<</S/Transparency>>", "/Group<</S/Transparency/I true/K true>>"];

const drawnBy = (pick: Pick, others: readonly string[]): string => {
  const path = () => `${pick(paths)} ${pick(within)} ${pick(clips)} ${pick(painting)}`;
  const text = () => "BT /F1 40 Tf 80 80 Td (HH) Tj ET";
  const one = () => pick([path, path, path, text, () => pick(others)])();
  const kept = () =>
    pick([(inner: string) => `q ${inner} Q`, (inner: string) => inner])(`${pick(settings)} ${pick(dashes)} ${one()}`);
  return `${pick(["30 w", "30 w 1 0 0 rg 0 0 1 RG"])} ${Array.from({ length: pick([1, 1, 2]) }, kept).join(" ")}`;
};

/** One file, by its seed: its page is of two streams, at times within a path. */
export const outlinedOf = (seed: number): Uint8Array => {
  const random = seededRandom(seed);
  const pick: Pick = (items) => items[Math.floor(random.fraction() * items.length)] as (typeof items)[number];
  const others = ["/Outer Do", "/Inner Do"];
  const content = `.9 1 .9 rg 0 0 200 200 re f 1 0 0 rg 0 0 1 RG ${drawnBy(pick, others)}`;
  const ofForm = (inner: string) => streamOf(inner, `${form}${pick(groups)}/Resources<<${resources}>>`);
  const words = content.split(" ");
  const end = words.length - pick([0, 1, 2, 3]);
  const [first, second] = [words.slice(0, end), words.slice(end)].map((part) => part.join(" ")) as [string, string];
  const file = pdf({
    pages: [{ entries: "/MediaBox[0 0 200 200]/Contents[5 0 R 9 0 R]", content: first, resources: states + named }],
    objects: [
      ofForm(drawnBy(pick, ["/Inner Do", "/Inmost Do"])),
      ofForm(pick([drawnBy(pick, ["/Inmost Do"]), "/Inmost Do", "1 0 0 rg 40 40 120 120 re f"])),
      ofForm(pick(["0 0 1 rg 60 60 100 100 re f", "1 0 0 rg 20 20 100 100 re f 0 0 1 rg 60 60 100 100 re f"])),
      streamOf(second),
    ],
  });
  // The one that is written for each page.
  return Buffer.from(Buffer.from(file).toString("latin1").replace("/Contents 5 0 R", " ".repeat(15)), "latin1");
};
