import { systemClock, systemRandom } from "@rubrica/runtime";
import { temporaryFolder } from "@rubrica/test-kit";
import { pdf, stampOf, textAt } from "@rubrica/test-kit/pdf/fixtures";
import { bodyOf, streamOf, updated } from "@rubrica/test-kit/pdf/update";
import { PDFName } from "pdf-lib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createPdfEngine, loadOrCreateSigningIdentity, type PdfEngine, type SigningIdentity } from "../../src/index.ts";
import { pagesOf } from "../../src/reading/pages.ts";
import { PdfFile } from "../../src/reading/pdf-file.ts";

let engine: PdfEngine;
let identity: SigningIdentity;
let sealed: Uint8Array;
beforeAll(async () => {
  using folder = temporaryFolder();
  engine = createPdfEngine({ clock: systemClock, processes: 1 });
  identity = await loadOrCreateSigningIdentity(folder.path, "http://localhost", systemClock, systemRandom);
  const original = pdf({ pages: [{ content: textAt(50, 700, "Debo 100 pesos") }] });
  const sealing = { identity, sealedAt: systemClock.now() };
  sealed = (await engine.stampAndSeal(original, [stampOf()], sealing)).bytes;
});
afterAll(() => engine.close());

const [FURTHER, STORE] = [900, 901];

/** The sealed file with validation data as somebody else writes it, and with what else they add. */
const withStore = (objects: Record<number, string> = {}, change = (catalog: string): string => catalog): Buffer => {
  const { catalogRef } = PdfFile.open(sealed);
  const catalog = bodyOf(sealed, catalogRef.objectNumber).replace(/>>\s*$/, `/DSS ${STORE} 0 R>>`);
  const certificate = streamOf(Buffer.from(identity.issuers[0] ?? []).toString("latin1"));
  const store = { [STORE]: `<</Certs[${STORE + 1} 0 R]>>`, [STORE + 1]: certificate };
  return updated(sealed, { [catalogRef.objectNumber]: change(catalog), ...store, ...objects });
};

/** The same, with an annotation on the page. */
const withAnnotation = (entries: string): Buffer => {
  const page = pagesOf(PdfFile.open(sealed))[0]?.ref.objectNumber ?? 0;
  const body = bodyOf(sealed, page).replace(/\/Annots\s*\[/, (found) => `${found}${FURTHER} 0 R `);
  const appearance = streamOf(textAt(0, 5, "Debo 100000000 pesos"), "/Type/XObject/Subtype/Form/BBox[0 0 300 40]");
  const box = "/Type/Annot/Subtype/Widget/Rect[50 690 350 730]";
  return withStore({ [page]: body, [FURTHER]: `<<${box}${entries}/AP<</N 910 0 R>>>>`, 910: appearance });
};

/** The same, with a field that waits for a signature. */
const withField = (): Buffer => {
  const { catalog, catalogRef } = PdfFile.open(sealed);
  const form = String(catalog.get(PDFName.of("AcroForm")));
  const [number = 0] = form.match(/^\d+/)?.map(Number) ?? [];
  const addTo = (body: string) => body.replace(/\/Fields\s*\[/, (found) => `${found}${FURTHER} 0 R `);
  const field = { [FURTHER]: "<</Type/Annot/Subtype/Widget/FT/Sig/T(x)/Rect[0 0 0 0]>>" };
  return number === 0
    ? withStore(field, addTo)
    : withStore({ ...field, [number]: addTo(bodyOf(sealed, number)) }, () => bodyOf(sealed, catalogRef.objectNumber));
};

const foundOf = async (bytes: Uint8Array) => (await engine.verify(bytes, [...identity.issuers])).afterSeal;

test("validation data that somebody else wrote in their own way is said to be theirs", async () => {
  expect(await foundOf(sealed)).toBe("nothing");
  expect(await foundOf(withStore())).toBe("validation_data_by_others");
});

test.each([
  ["a field that is seen", () => withAnnotation("/FT/Sig/T(x)/F 4")],
  ["a field that is printed alone", () => withAnnotation("/FT/Sig/T(x)/F 36")],
  ["a hidden field", () => withAnnotation("/FT/Sig/T(x)/F 2")],
  ["a field that nobody sees, and that no signature is in", () => withField()],
  ["an action of the catalog", () => withStore({}, (catalog) => catalog.replace("<<", "<</OpenAction[4 0 R/Fit]"))],
  [
    "an object that stands twice",
    () =>
      Buffer.from(
        withStore().toString("latin1").replace(`${STORE} 0 obj`, `5 0 obj\n<<>>\nendobj\n${STORE} 0 obj`),
        "latin1",
      ),
  ],
  ["a line more", () => Buffer.concat([sealed, Buffer.from("\n")])],
  ["bytes after the end", () => Buffer.concat([withStore(), Buffer.from("%x")])],
] as const)("with %s it is a change", async (_name, make) => {
  expect([null, "other"]).toContain(await foundOf(make()));
});
