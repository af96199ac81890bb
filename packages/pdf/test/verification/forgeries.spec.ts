import { systemClock, systemRandom } from "@rubrica/runtime";
import { temporaryFolder } from "@rubrica/test-kit";
import { stampOf } from "@rubrica/test-kit/pdf/fixtures";
import { verifyNow as verify } from "@rubrica/test-kit/pdf/tools";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPdfEngine, loadOrCreateSigningIdentity, type PdfEngine, type SigningIdentity } from "../../src/index.ts";
import { changesOfDrawing, DRAWN } from "./attacks/drawn-forgeries.ts";
import { changes, forgery, forms, originalOf, originals } from "./attacks/forgeries.ts";

let engine: PdfEngine;
let identity: SigningIdentity;
beforeAll(async () => {
  using folder = temporaryFolder();
  engine = createPdfEngine({ clock: systemClock, processes: 1 });
  identity = await loadOrCreateSigningIdentity(folder.path, "http://localhost", systemClock, systemRandom);
});
afterAll(() => engine.close());

describe.each([
  ...Object.keys(originals).map((name) => [name, changes, 570] as const),
  [DRAWN, changesOfDrawing, 180] as const,
])("a sealed document %s", (original, kinds, least) => {
  test("is never called unchanged, nor authentic, once it was forged", async () => {
    const sealing = { identity, sealedAt: systemClock.now() };
    const { bytes: sealed } = await engine.stampAndSeal(originalOf(original), [stampOf()], sealing);
    const roots = [...identity.issuers];
    expect(verify(sealed, roots)).toMatchObject({ untouched: true, signatures: [{ changesAfter: "none" }] });
    const misled: string[] = [];
    let count = 0;
    for (const change of Object.keys(kinds))
      for (const form of Object.keys(forms)) {
        const forged = forgery(sealed, change, form);
        if (!forged) continue;
        count += 1;
        const { untouched, afterSeal, signatures } = await engine.verify(forged, roots);
        const unchanged = signatures.some(({ intact, changesAfter }) => intact === true && changesAfter !== "other");
        if (untouched || unchanged || (afterSeal !== null && afterSeal !== "other"))
          misled.push(`${change}, ${form}: ${afterSeal}`);
      }
    expect(misled).toEqual([]);
    // Of all originals more than 1,500.
    expect(count).toBeGreaterThan(least);
  });
});
