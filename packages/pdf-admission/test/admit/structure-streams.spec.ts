import { deflateSync } from "node:zlib";
import { openDocument } from "@rubrica/pdf-reading/open";
import { systemClock } from "@rubrica/runtime";
import { openedEngine } from "@rubrica/test-kit/pdf/engine";
import { pdf, textAt } from "@rubrica/test-kit/pdf/fixtures";
import { bodyOf, startOf, streamOf } from "@rubrica/test-kit/pdf/update";
import { describe, expect, test } from "vitest";
import { admit, lookedThrough } from "../../src/admit.ts";

const { engine, identity } = await openedEngine();
const [said, former] = [textAt(50, 700, "SaidHere"), textAt(50, 700, "SaidElsewhere")];
const [page, formerContent, content, pack, section] = [4, 5, 6, 7, 8];
const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");

/** How a stream is compressed: entries of its dictionary, and what becomes of its data. */
type Compression = readonly [entries: string, compress: (data: Buffer) => Uint8Array];

const plain: Compression = ["", (data) => data];
const flate = "/Filter/FlateDecode";
/** Rows of eight bytes, each with the rule before it by which it is predicted. */
const predicted = (data: Buffer, rule: number): Buffer => {
  const whole = Buffer.concat([data, Buffer.alloc((8 - (data.length % 8)) % 8, " ")]);
  const rows = Array.from({ length: whole.length / 8 }, (_, row) => whole.subarray(row * 8, row * 8 + 8));
  return Buffer.concat(rows.flatMap((row) => [Buffer.from([rule]), row]));
};

interface Update {
  objects?: Compression;
  crossReference?: Compression;
  /** Of the stream of objects. */
  generation?: number;
}

/** A file whose page was updated, in a stream of objects that a cross-reference stream has. */
const updated = ({ objects = plain, crossReference = plain, generation = 0 }: Update): Uint8Array => {
  const first = latin1(pdf({ pages: [{ content: former }], objects: [streamOf(said)] }));
  const head = `${page} 0 `;
  const newer = bodyOf(Buffer.from(first, "latin1"), page).replace(`${formerContent} 0 R`, `${content} 0 R`);
  const held = latin1(objects[1](Buffer.from(head + newer)));
  const packAt = first.length;
  const packed = `${pack} ${generation} obj\n${streamOf(held, `/Type/ObjStm/N 1/First ${head.length}${objects[0]}`)}\nendobj\n`;
  const sectionAt = packAt + packed.length;
  const rows = [
    [2, pack, 0],
    [1, packAt, generation],
    [1, sectionAt, 0],
  ].map(([type = 0, second = 0, third = 0]) => Buffer.from([type, 0, 0, 0, 0, second >> 8, second & 255, third]));
  const entries = `/Type/XRef/W[1 6 1]/Index[${page} 1 ${pack} 2]/Size 9/Root 1 0 R/Prev ${startOf(Buffer.from(first, "latin1"))}`;
  const listed = latin1(crossReference[1](Buffer.concat(rows)));
  const end = `${section} 0 obj\n${streamOf(listed, entries + crossReference[0])}\nendobj\nstartxref\n${sectionAt}\n%%EOF\n`;
  return Buffer.from(first + packed + end, "latin1");
};

/** What not all readers decompress: some then show the page as it was before. */
const doubtful: [string, Compression][] = [
  [
    "in a list of filters with parameters that are in none",
    [`/Filter[/FlateDecode]/DecodeParms<</Predictor 12/Columns 8>>`, (data) => deflateSync(predicted(data, 0))],
  ],
  [
    "with parameters in a list beside one filter",
    [`${flate}/DecodeParms[<</Predictor 12/Columns 8>>]`, (data) => deflateSync(predicted(data, 0))],
  ],
  ["by no filter in a list", ["/Filter[null]", (data) => data]],
  ["with a short name for parameters", [`${flate}/DP<</Predictor 12/Columns 8>>`, (data) => deflateSync(data)]],
  ["with the name of another file", ["/F(other)", (data) => data]],
  ["with another file that is null", [`${flate}/F null`, (data) => deflateSync(data)]],
  ["with a short name that is null", [`${flate}/DP null`, (data) => deflateSync(data)]],
  ["with colors below none", [`${flate}/DecodeParms<</Colors -1>>`, (data) => deflateSync(data)]],
  [
    "with parameters that stand elsewhere",
    [`${flate}/DecodeParms<</Predictor 1/Columns 3 0 R>>`, (data) => deflateSync(data)],
  ],
];

describe.each(doubtful)("of a stream %s", (_, compression) => {
  test.each([
    ["a cross-reference", "cross_reference", { crossReference: compression }],
    ["objects", "stray", { objects: compression }],
  ] as const)("%s are written anew as they were read", async (_what, kind, update) => {
    const given = updated(update);
    expect(lookedThrough(await openDocument(given)).ambiguity).toBe(kind);
    const { bytes } = await admit(given);
    expect(latin1(bytes ?? given)).toContain("SaidHere");
    expect((await admit(bytes ?? given)).bytes).toBeNull();
  });

  test("a cross-reference is refused in a signed file", async () => {
    const given = updated({ crossReference: compression });
    const { bytes } = await engine.seal(given, { identity, sealedAt: systemClock.now() });
    await expect(admit(bytes)).rejects.toMatchObject({ reason: "ambiguous" });
  });
});

test("a stream of objects of a later generation, in which pdf.js finds nothing, is ambiguous", async () => {
  expect(lookedThrough(await openDocument(updated({ generation: 1 }))).ambiguity).toBe("head");
});

test.each<[string, Compression]>([
  [
    "with rows by an unknown rule",
    [`${flate}/DecodeParms<</Predictor 12/Columns 8>>`, (data) => deflateSync(predicted(data, 7))],
  ],
  ["with an odd head", [flate, (data) => Buffer.concat([Buffer.from([0x78, 0]), deflateSync(data).subarray(2)])]],
])("a structure in Flate %s is not taken for one: a file is written anew as it is found without it", async (_, one) => {
  for (const given of [updated({ crossReference: one }), updated({ objects: one })]) {
    const { bytes } = await admit(given);
    expect(bytes).not.toBeNull();
    expect((await admit(bytes ?? given)).bytes).toBeNull();
  }
});

test.each<[string, Compression]>([
  ["as they are", plain],
  ["in Flate", [flate, (data) => deflateSync(data)]],
  ["in a list of one", ["/Filter[/FlateDecode]/DecodeParms[null]", (data) => deflateSync(data)]],
  ["in Flate without a check", [flate, (data) => deflateSync(data).subarray(0, -4)]],
  ["predicted by rows", [`${flate}/DecodeParms<</Predictor 12/Columns 8>>`, (data) => deflateSync(predicted(data, 0))]],
])("streams %s stay", async (_, compression) => {
  const given = updated({ objects: compression, crossReference: compression });
  expect((await admit(given)).bytes).toBeNull();
});
