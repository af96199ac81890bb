import { pagesOf } from "@rubrica/pdf-reading/pages";
import { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { systemClock, systemRandom } from "@rubrica/runtime";
import { temporaryFolder } from "@rubrica/test-kit";
import { pdf, stampOf, textAt } from "@rubrica/test-kit/pdf/fixtures";
import { bodyOf, streamOf, updated } from "@rubrica/test-kit/pdf/update";
import { PDFName } from "pdf-lib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createPdfEngine, loadOrCreateSigningIdentity, type PdfEngine, type SigningIdentity } from "../../src/index.ts";

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
const withStore = (
  objects: Record<number, string> = {},
  change = (catalog: string): string => catalog,
  entries = "",
): Buffer => {
  const { catalogRef, crossReference } = PdfFile.open(sealed);
  const catalog = bodyOf(sealed, catalogRef.objectNumber).replace(/>>\s*$/, `/DSS ${STORE} 0 R>>`);
  const certificate = streamOf(Buffer.from(identity.issuers[0] ?? []).toString("latin1"));
  const store = { [STORE]: `<</Certs[${STORE + 1} 0 R]>>`, [STORE + 1]: certificate };
  const trailer = `/ID ${crossReference.trailer.get(PDFName.of("ID"))}${entries}`;
  return updated(sealed, { [catalogRef.objectNumber]: change(catalog), ...store, ...objects }, { trailer });
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

/** The same, with a field beneath one that says of itself that a timestamp is in it. */
const beneathTimestamp = (entries: string, parent = ""): Buffer => {
  const { catalogRef } = PdfFile.open(sealed);
  const page = pagesOf(PdfFile.open(sealed))[0]?.ref.objectNumber ?? 0;
  const body = bodyOf(sealed, page).replace(/\/Annots\s*\[/, (found) => `${found}${FURTHER} 0 R `);
  const addTo = (text: string) => text.replace(/\/Fields\s*\[/, (found) => `${found}${FURTHER} 0 R `);
  expect(addTo(bodyOf(sealed, catalogRef.objectNumber))).toContain(`${FURTHER} 0 R`);
  const objects = {
    [page]: body,
    [FURTHER]: `<</Type/Annot/Subtype/Widget/T(x)/Parent 920 0 R${entries}>>`,
    910: streamOf(textAt(0, 5, "Debo 100000000 pesos"), "/Type/XObject/Subtype/Form/BBox[0 0 300 40]"),
    920: `<</FT/Sig/T(p)/V 921 0 R/Kids[${FURTHER} 0 R]${parent}>>`,
    921: "<</Type/Sig/SubFilter/ETSI.RFC3161/ByteRange[0 0 0 0]/Contents<00>>>",
  };
  return withStore(objects, addTo);
};

/** What a text field shows to readers that take the last color, not the first. */
const WHITE_FIRST = "/FT/Tx/V(Debo 100000000 pesos)/DA(1 g /Helv 14 Tf 0 g)/Rect[50 640 350 680]";

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
  ["a text in a field beneath a timestamp's", () => beneathTimestamp(`${WHITE_FIRST}/F 4`)],
  ["a text there that is printed alone", () => beneathTimestamp(`${WHITE_FIRST}/F 36`)],
  ["a field there without a place", () => beneathTimestamp("/F 4/AP<</N 910 0 R>>")],
  ["a field there that acts", () => beneathTimestamp("/F 2/Rect[0 0 0 0]", "/AA<</F<</S/JavaScript/JS(x)>>>>")],
  ["fonts of the form", () => withStore({}, (catalog) => catalog.replace(/\/AcroForm\s*<</, "$&/DR<</Font<<>>>>"))],
  [
    "another title",
    () => withStore({ [FURTHER]: "<</Title(Debo 100000000 pesos)>>" }, undefined, `/Info ${FURTHER} 0 R`),
  ],
  ["a certificate that is none", () => withStore({ [STORE + 1]: streamOf("Debo 100000000 pesos") })],
  ["a file that nothing shows", () => withStore({ [FURTHER]: streamOf("Debo 100000000 pesos", "/Type/EmbeddedFile") })],
  ["a line more", () => Buffer.concat([sealed, Buffer.from("\n")])],
  ["bytes after the end", () => Buffer.concat([withStore(), Buffer.from("%x")])],
] as const)("with %s it is a change", async (_name, make) => {
  expect([null, "other"]).toContain(await foundOf(make()));
});

test.each([
  ["a certificate", (certificate: Buffer) => certificate],
  [
    "text with a certificate after it",
    (certificate: Buffer) =>
      Buffer.from(
        `<x>Debo 100000000 pesos</x>\n-----BEGIN CERTIFICATE-----\n${certificate.toString("base64")}\n-----END CERTIFICATE-----\n`,
      ),
  ],
] as const)("metadata that became %s, and is listed as one, is a change", async (_name, make) => {
  const original = pdf({
    pages: [{ content: textAt(50, 700, "Debo 100 pesos") }],
    catalog: "/Metadata 6 0 R",
    objects: [streamOf("<x>Debo 100 pesos</x>", "/Type/Metadata/Subtype/XML")],
  });
  const sealing = { identity, sealedAt: systemClock.now() };
  const { bytes } = await engine.stampAndSeal(original, [stampOf()], sealing);
  const { catalog, catalogRef, crossReference } = PdfFile.open(bytes);
  expect(String(catalog.get(PDFName.of("Metadata")))).toBe("6 0 R");
  const body = make(Buffer.from(identity.issuers[0] ?? [])).toString("latin1");
  const objects = {
    6: streamOf(body, "/Type/Metadata/Subtype/XML"),
    [catalogRef.objectNumber]: bodyOf(bytes, catalogRef.objectNumber).replace(/>>\s*$/, `/DSS ${STORE} 0 R>>`),
    [STORE]: "<</Certs[6 0 R]>>",
  };
  const trailer = `/ID ${crossReference.trailer.get(PDFName.of("ID"))}`;
  expect(await foundOf(updated(bytes, objects, { trailer }))).toBe("other");
});

test("what a file says of itself may be written in another encoding", async () => {
  const original = pdf({ objects: ["<</Title<FEFF00410031>>>"], trailer: "/Info 6 0 R" });
  const sealing = { identity, sealedAt: systemClock.now() };
  const { bytes } = await engine.stampAndSeal(original, [stampOf()], sealing);
  const { catalogRef, crossReference } = PdfFile.open(bytes);
  const retitled = (title: string) => {
    const objects = {
      6: `<</Title${title}/Producer(x)>>`,
      [catalogRef.objectNumber]: bodyOf(bytes, catalogRef.objectNumber).replace(/>>\s*$/, `/DSS ${STORE} 0 R>>`),
      [STORE]: `<</Certs[${STORE + 1} 0 R]>>`,
      [STORE + 1]: streamOf(Buffer.from(identity.issuers[0] ?? []).toString("latin1")),
    };
    const trailer = `/ID ${crossReference.trailer.get(PDFName.of("ID"))}/Info 6 0 R`;
    return updated(bytes, objects, { trailer });
  };
  expect(await foundOf(retitled("(A\\061)"))).toBe("validation_data_by_others");
  expect([null, "other"]).toContain(await foundOf(retitled("(A2)")));
});
