import { createPdfEngine, loadOrCreateSigningIdentity } from "@rubrica/pdf";
import { systemClock, systemRandom } from "@rubrica/runtime";
import { temporaryFolder } from "@rubrica/test-kit";
import { pdf, stampOf, textAt } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf, updated } from "@rubrica/test-kit/pdf/update";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { asSigned } from "../../src/placing/as-signed.ts";

const SECOND_PAGE_CONTENT = 7;
const one = { content: textAt(50, 700, "one") };
const original = pdf({ pages: [one, one] });
const changedTo = (content: string): Uint8Array => updated(original, { [SECOND_PAGE_CONTENT]: streamOf(content) });

/** The grey of a PNG's dots, by another library. */
const greyOf = (png: Uint8Array) => sharp(png).greyscale().raw().toBuffer();

describe("a page as it was signed", () => {
  test("is the first that looks otherwise now, as it was", async () => {
    const changed = changedTo(`${textAt(50, 700, "one")} 1 0 0 rg 0 0 300 300 re f`);
    const found = await asSigned(changed, [original.length]);
    expect([found?.page, found?.width, found?.height]).toEqual([2, 595, 842]);
    const { format, width, height, channels } = await sharp(found?.png).metadata();
    expect([format, width, height, channels]).toEqual(["png", 595, 842, 3]);
    const grey = await greyOf(found?.png ?? new Uint8Array());
    const inked = [...grey].flatMap((value, dot) => (value < 200 ? [dot] : []));
    // The words alone, at their place: 700 points from the bottom.
    expect(inked.length).toBeGreaterThan(20);
    expect(inked.every((dot) => Math.abs(Math.floor(dot / 595) - 142) < 16)).toBe(true);
  });

  test("is that of the first signature of which there is one", async () => {
    const alike = changedTo(textAt(50, 700, "one"));
    const changed = updated(alike, { [SECOND_PAGE_CONTENT]: streamOf(textAt(50, 700, "two")) });
    const again = updated(changed, { [SECOND_PAGE_CONTENT]: streamOf(textAt(50, 700, "three")) });
    const ends = [original, alike, changed].map(({ length }) => length);
    expect((await asSigned(again, ends))?.signedBytes).toBe(original.length);
    expect((await asSigned(again, [40, ...ends.slice(1)]))?.signedBytes).toBe(alike.length);
    expect(await asSigned(alike, ends.slice(0, 2))).toBeNull();
    expect(await asSigned(alike, [])).toBeNull();
  });

  test("keeps its colours", async () => {
    const red = pdf({ pages: [{ content: "1 0 0 rg 0 0 600 850 re f" }] });
    const changed = updated(red, { 5: streamOf("0 0 1 rg 0 0 600 850 re f") });
    const found = await asSigned(changed, [red.length]);
    const { dominant } = await sharp(found?.png).stats();
    expect(dominant.r).toBeGreaterThan(200);
    expect(dominant.b).toBeLessThan(50);
  });

  test("is none where nothing looks otherwise, or what was signed is no file", async () => {
    expect(await asSigned(changedTo(textAt(50, 700, "one")), [original.length])).toBeNull();
    expect(await asSigned(original, [original.length - 40])).toBeNull();
    expect(await asSigned(Buffer.from("no PDF"), [3])).toBeNull();
  });

  test("is none where its picture would be larger than an answer may have", async () => {
    // Noise, which has no shorter form.
    let seed = 1;
    const noise = Buffer.from(
      Array.from({ length: 595 * 842 * 3 }, () => {
        seed = (seed * 48_271) % 2_147_483_647;
        return seed & 0xff;
      }),
    );
    const image = `q 595 0 0 842 0 0 cm BI /W 595 /H 842 /CS /RGB /BPC 8 /F /AHx ID ${noise.toString("hex")}> EI Q`;
    const noisy = pdf({ pages: [{ content: image }] });
    expect(await asSigned(updated(noisy, { 5: streamOf("0 0 1 rg 0 0 600 850 re f") }), [noisy.length])).toBeNull();
  });
});

test("a signature that somebody else drew over a sealed page is no part of the page as it was sealed", async () => {
  using folder = temporaryFolder();
  using strangers = temporaryFolder();
  const identityIn = (path: string) => loadOrCreateSigningIdentity(path, "http://localhost", systemClock, systemRandom);
  const [ours, theirs] = [await identityIn(folder.path), await identityIn(strangers.path)];
  const engine = createPdfEngine({ clock: systemClock, processes: 1 });
  const sealedAt = systemClock.now();
  const sealed = await engine.stampAndSeal(original, [stampOf()], { identity: ours, sealedAt });
  const over = stampOf({ name: "Somebody Else", placement: { pages: 2, x: 40, y: 100 } });
  const { bytes } = await engine.stampAndSeal(sealed.bytes, [over], { identity: theirs, sealedAt });
  const { signatures } = await engine.verify(bytes, [...ours.issuers], "somebody", {});
  expect(signatures.map(({ intact, trusted, changesAfter }) => [intact, trusted, changesAfter])).toEqual([
    [true, true, "signing"],
    [true, false, "none"],
  ]);
  const found = await asSigned(bytes, [signatures[0]?.coveredBytes ?? 0]);
  expect(found?.page).toBe(2);
  await engine.close();
});
