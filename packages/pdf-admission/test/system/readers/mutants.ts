import { seededRandom } from "@rubrica/runtime/testing";
import { type FixtureOptions, pdf, textAt } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf, updated } from "@rubrica/test-kit/pdf/update";

/** Files whose structure was changed by chance, so that readers may come to see different things in them. */

const said = textAt(50, 700, "SaidHere");
const elsewhere = textAt(50, 600, "SaidElsewhere");
const options: FixtureOptions = {
  pages: [{ content: said }, { entries: "/MediaBox[0 0 595 842]/Annots[8 0 R]", content: textAt(50, 500, "Second") }],
  objects: [
    "<</Type/Annot/Subtype/FreeText/Rect[50 600 200 640]/F 4/DA(/F1 12 Tf)/Contents(Nota)/AP<</N 9 0 R>>>>",
    streamOf(textAt(0, 5, "Nota"), "/Type/XObject/Subtype/Form/BBox[0 0 150 40]/Resources<</Font<</F1 3 0 R>>>>"),
  ],
};

/** An object of the file, with something else in it. */
const another = (number: number, from: string, to: string): Record<number, string> => {
  const file = Buffer.from(pdf(options)).toString("latin1");
  const [, body = ""] = new RegExp(`\n${number} 0 obj\n([^]*?)\nendobj`).exec(file) ?? [];
  return { [number]: body.replace(from, to) };
};

const originals: readonly (() => Uint8Array)[] = [
  () => pdf(options),
  () => pdf({ ...options, crossReference: "stream" }),
  () => updated(pdf(options), { 5: streamOf(elsewhere) }),
  () => updated(pdf(options), { 5: streamOf(elsewhere) }, { crossReference: "hidden" }),
  () => updated(updated(pdf(options), { 7: streamOf(elsewhere) }), { 5: streamOf(said) }),
  () => updated(pdf(options), { 5: streamOf(elsewhere) }, { crossReference: "stream" }),
  () => updated(pdf(options), another(4, "/Contents 5", "/Contents 7"), { crossReference: "packed" }),
];

type Pick = (below: number) => number;

/** Changes one of the places that a pattern finds; the file as it is where there is none. */
const atOne = (text: string, pattern: RegExp, pick: Pick, by: (found: string) => string): string => {
  const places = [...text.matchAll(pattern)];
  const place = places[pick(Math.max(places.length, 1))];
  if (!place) return text;
  return text.slice(0, place.index) + by(place[0]) + text.slice(place.index + place[0].length);
};

const sameLength = (before: string, after: string): string => after.padEnd(before.length).slice(0, before.length);
const row = (found: string, change: (offset: number) => number): string =>
  String(Math.max(0, change(Number(found.slice(0, 10))))).padStart(10, "0") + found.slice(10);

const mutations: readonly ((text: string, pick: Pick) => string)[] = [
  // Generations, of objects, of references, and in the cross-reference
  (text, pick) => atOne(text, /\n\d 0 obj/g, pick, (head) => head.replace(" 0 ", ` ${1 + pick(9)} `)),
  (text, pick) => atOne(text, /\b\d 0 R/g, pick, (found) => found.replace(" 0 ", ` ${1 + pick(9)} `)),
  (text, pick) => atOne(text, /\d{10} 00000 n/g, pick, (found) => found.replace("00000 n", `0000${1 + pick(9)} n`)),
  // Offsets
  (text, pick) => atOne(text, /\d{10} 00000 n/g, pick, (found) => row(found, (offset) => offset + pick(41) - 20)),
  (text, pick) => atOne(text, /\d{10} 00000 n/g, pick, (found) => row(found, () => pick(text.length))),
  (text, pick) =>
    atOne(text, /startxref\n\d+/g, pick, (found) => found.replace(/\d+/, (at) => String(Number(at) + pick(9) - 4))),
  (text, pick) => atOne(text, /\/Prev \d+/g, pick, (found) => sameLength(found, `/Prev ${pick(text.length)}`)),
  // Objects that stand twice, or that nothing names
  (text, pick) =>
    atOne(text, /endobj\n/g, pick, (found) => `${found}${1 + pick(9)} 0 obj\n${streamOf(elsewhere)}\nendobj\n`),
  (text, pick) => `${text}${1 + pick(9)} 0 obj\n${streamOf(elsewhere)}\nendobj\n`,
  // Heads that some readers miss
  (text, pick) => atOne(text, /\n\d 0 obj/g, pick, (head) => head.replace(" 0", "\0" + "0")),
  (text, pick) => atOne(text, /\n\d 0 obj/g, pick, (head) => head.replace(" 0 ", " 0%x\n")),
  (text, pick) => atOne(text, /endobj/g, pick, () => "endobk"),
  // Lengths, keys, kinds of nodes
  (text, pick) => atOne(text, /\/Length \d+/g, pick, (found) => sameLength(found, `/Length ${pick(99)}`)),
  (text, pick) => atOne(text, /endstream/g, pick, () => "endstreams"),
  (text, pick) => atOne(text, /\/Contents \d 0 R/g, pick, (found) => `${found}/Contents 7 0 R`),
  (text, pick) => atOne(text, /\/Type\/Pages?\b/g, pick, (found) => found.replace("Type", "Tipe")),
  (text, pick) => atOne(text, /\/Type\/Page\b/g, pick, (found) => `${found}/Kids[6 0 R]/Count 1`),
  (text, pick) => atOne(text, /\/Count \d/g, pick, () => `/Count ${pick(4)}`),
  // Other parents, nothing where something is inherited, and ends that some readers pass over
  (text, pick) => atOne(text, /\/Parent \d/g, pick, () => `/Parent ${1 + pick(9)}`),
  (text, pick) => atOne(text, /\/MediaBox\[0 0 595 842\]/g, pick, (found) => sameLength(found, "/Rotate null")),
  (text, pick) => atOne(text, /\nstartxref/g, pick, () => `${["x", "\n%x\n"][pick(2)]}startxref`),
  (text, pick) => atOne(text, /%%EOF\n/g, pick, () => ["", "\n".repeat(2_000)][pick(2)] as string),
  (text, pick) => atOne(text, /\/Size \d+/g, pick, (found) => sameLength(found, `/Size ${pick(12)}`)),
  // Cross-references and streams of objects that some readers pass over
  (text, pick) =>
    atOne(text, /\/W\[1 4 [12]\]/g, pick, (found) =>
      pick(2) === 0 ? found.replace("]", " 0]") : `/W[${pick(10)} 4 2]`,
    ),
  (text, pick) => atOne(text, /\/Index\[/g, pick, (found) => `${found}${["-1 1", "2147483646 1", "0 0"][pick(3)]} `),
  (text, pick) =>
    atOne(text, /\/Size \d+/g, pick, () => ["", "/Size -1", "/Size 5000000000", "/Size 5 0 R"][pick(4)] ?? ""),
  (text, pick) => atOne(text, /\/Type\/(?:XRef|ObjStm)/g, pick, (found) => found.replace("Type", "Tipe")),
  (text, pick) => atOne(text, /\/Type\/XRef[^>]*>>\nstream\n[\s\S]/g, pick, (found) => `${found.slice(0, -1)}\x03`),
  (text, pick) => atOne(text, /\nstartxref\n/g, pick, () => "\fstartxref\n"),
];

/** One mutant, by its seed: one to three changes. */
export const mutantOf = (seed: number): Uint8Array => {
  const random = seededRandom(seed);
  const pick: Pick = (below) => Math.floor(random.fraction() * below);
  const original = originals[pick(originals.length)] as () => Uint8Array;
  let text = Buffer.from(original()).toString("latin1");
  for (let left = 1 + pick(3); left > 0; left--)
    text = (mutations[pick(mutations.length)] as (typeof mutations)[0])(text, pick);
  return Buffer.from(text, "latin1");
};
