import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock, systemRandom } from "@rubrica/runtime";
import { type FixtureOptions, firstFurtherObject, pdf } from "@rubrica/test-kit/pdf/fixtures";
import { type1 } from "@rubrica/test-kit/pdf/font-programs";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { afterAll, beforeAll, expect, test } from "vitest";
import { admit } from "../../src/admission/admit.ts";
import { createPdfEngine, loadOrCreateSigningIdentity, type PdfEngine, type SigningIdentity } from "../../src/index.ts";

const folder = mkdtempSync(join(tmpdir(), "rubrica-borrowed-"));
let engine: PdfEngine;
let identity: SigningIdentity;
beforeAll(async () => {
  engine = createPdfEngine({ clock: systemClock, processes: 1 });
  identity = await loadOrCreateSigningIdentity(folder, "http://localhost", systemClock, systemRandom);
});
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

const next = firstFurtherObject(1);

/** A font that the file does not bring along. */
const borrowed = (font: string, names: readonly string[]): FixtureOptions => ({
  catalog: `/Fonts ${next} 0 R`,
  objects: [`<</Type/Font/Subtype/Type1/BaseFont/${font}/Encoding<</Differences[49${names.join("")}]>>>>`],
});
const named = (...names: string[]) => borrowed("Helvetica", names);
/** One whose program begins so. */
const embedded = (program: string): FixtureOptions => ({
  catalog: `/Fonts ${next} 0 R`,
  objects: [
    `<</Type/Font/Subtype/Type1/BaseFont/Own/Encoding<</Differences[49/g57]>>/FontDescriptor<</FontFile ${next + 1} 0 R>>>>`,
    streamOf(program),
  ],
});
const symbols = (...names: string[]) => borrowed("Symbol", names);

test.each<[string, FixtureOptions]>([
  ["the digits of a name", named("/one", "/uni0039")],
  ["a variant", named("/nine.alt")],
  ["the number of a glyph", named("/g57")],
  ["the number of a glyph, whose program is none", embedded("none")],
])("a font of another that some readers take characters from by %s is refused, signed or not", async (_, options) => {
  await expect(admit(pdf(options))).rejects.toMatchObject({ reason: "shown_otherwise" });
  const { bytes } = await engine.seal(pdf(options), { identity, sealedAt: systemClock.now() });
  await expect(admit(bytes)).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test.each<[string, FixtureOptions]>([
  ["names of characters that are listed", named("/one", "/afii10017", "/.notdef", "/Euro")],
  ["names of its own symbols", symbols("/sigma1", "/theta1")],
  [
    "the number of a glyph in its own program",
    embedded(type1({ names: [".notdef", "g57", "nine", "seven"] }).toString("latin1")),
  ],
])("a font of another with %s stays", async (_, options) => {
  expect((await admit(pdf(options))).bytes).toBeNull();
});
