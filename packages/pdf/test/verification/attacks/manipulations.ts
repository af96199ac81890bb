import { textAt } from "@rubrica/test-kit/pdf/fixtures";
import { bodyOf, lastSignature, startOf, streamOf, updated } from "@rubrica/test-kit/pdf/update";

/**
 * Attacks on signed PDFs as they are known by "1 Trillion Dollar Refund" (2019), "Shadow Attacks" and "Breaking the
 * Specification: PDF Certification" (both 2021), and relatives of them.
 */

/** What is drawn on the page that was sealed, and what an attacker would rather have there. */
export const sealedText = textAt(50, 700, "I owe you nothing");
const otherText = textAt(50, 700, "I owe you everything");

// Numbers of objects in the fixture that is sealed; further ones are the attacker's.
const [catalog, pages, font, page, content] = [1, 2, 3, 4, 5];
const [mine, mineToo, mineThree] = [900, 901, 902];
const seen = "/Rect[0 0 595 842]/AP<</N 901 0 R>>";
const appearance = streamOf(otherText, "/Type/XObject/Subtype/Form/BBox[0 0 595 842]");

/** A body with entries beside those that it has. */
const withEntries = (body: string, entries: string): string => body.replace(/>>\s*$/, `${entries}>>`);
const inPage = (file: Uint8Array, annotation: number): string =>
  bodyOf(file, page).replace(/\/Annots\s*\[/, `/Annots[${annotation} 0 R `);
const inForm = (file: Uint8Array, field: number): string =>
  bodyOf(file, catalog).replace(/\/Fields\s*\[/, `/Fields[${field} 0 R `);

/** A field that is added to the form and to the page. */
const withField = (file: Uint8Array, field: string, objects: Record<number, string> = {}): Buffer =>
  updated(file, { [catalog]: inForm(file, mine), [page]: inPage(file, mine), [mine]: field, ...objects });

/** The last signature's dictionary in a new version. */
const withDictionary = (file: Uint8Array, change: (dictionary: string) => string): Buffer => {
  const { number } = lastSignature(file);
  return updated(file, { [content]: streamOf(otherText), [number]: change(bodyOf(file, number)) });
};
const withRange = (range: string) => (file: Uint8Array) =>
  withDictionary(file, (dictionary) => dictionary.replace(/\/ByteRange\s*\[[^\]]*\]/, `/ByteRange ${range}`));

/**
 * The signed bytes behind the gap are moved to the file's end, where their `startxref` still points to the place that
 * they had. Another cross-reference stands there now, and tells of another content and another byte range.
 */
const wrapped = (file: Uint8Array): Buffer => {
  const { number, gapStart, gapEnd } = lastSignature(file);
  const [start, text] = [startOf(file), Buffer.from(file).toString("latin1")];
  const behind = file.subarray(gapEnd);
  const [objectsAt, behindAt] = [start + 2_000, start + 20_000];
  const range = `[0 ${gapStart} ${behindAt} ${behind.length}]`;
  const field = Number(/\/Fields\s*\[\s*(\d+)/.exec(bodyOf(file, catalog))?.[1]);
  const offsets = [catalog, page].map((kept) => [kept, text.lastIndexOf(`\n${kept} 0 obj\n`, gapStart) + 1]);
  let objects = "";
  for (const [own, body] of [
    [content, streamOf(otherText)],
    [number, bodyOf(file, number).replace(/\/ByteRange\s*\[[^\]]*\]/, `/ByteRange ${range}`)],
    [field, bodyOf(file, field)],
  ] as const) {
    offsets.push([own, objectsAt + objects.length]);
    objects += `${own} 0 obj\n${body}\nendobj\n`;
  }
  const rows = offsets.map(([own, offset]) => `${own} 1\n${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const previous = [...text.matchAll(/\/Prev (\d+)/g)].at(-1)?.[1];
  const table = `xref\n${rows}trailer\n<</Size 1000/Root 1 0 R/Prev ${previous}>>\n`;
  const parts = [text.slice(0, gapEnd).padEnd(start), table.padEnd(objectsAt - start), objects];
  return Buffer.concat([Buffer.from(parts.join("").padEnd(behindAt), "latin1"), behind]);
};

/** Each makes another document of a sealed one, and leaves the signature's own bytes as they are. */
export const manipulations: Record<string, (sealed: Uint8Array) => Buffer> = {
  // Universal signature forgery: the signature's dictionary in a new version
  "contents missing": (file) => withDictionary(file, (dictionary) => dictionary.replace("/Contents", "/Absent")),
  "contents null": (file) => withDictionary(file, (dictionary) => dictionary.replace(/<[0-9a-f]+>/, " null")),
  "contents empty": (file) => withDictionary(file, (dictionary) => dictionary.replace(/<[0-9a-f]+>/, "<>")),
  "contents twice": (file) => withDictionary(file, (dictionary) => withEntries(dictionary, "/Contents<00>")),
  "byte range missing": (file) => withDictionary(file, (dictionary) => dictionary.replace("/ByteRange", "/Absent")),
  "byte range null": withRange("null"),
  "byte range empty": withRange("[]"),
  "byte range zero": withRange("[0 0 0 0]"),
  "byte range negative": withRange("[0 10 -10 30]"),
  "byte range overflowing": withRange("[0 10 20 99999999999999999999]"),
  "byte range overlapping": withRange("[0 500 100 900]"),
  "byte range of six numbers": withRange("[0 10 20 10 40 10]"),
  "dictionary in a new version that copies all": (file) => withDictionary(file, (dictionary) => dictionary),
  // Incremental saving
  "content replaced": (file) => updated(file, { [content]: streamOf(otherText) }),
  "content replaced without a cross-reference": (file) =>
    updated(file, { [content]: streamOf(otherText) }, { crossReference: "none" }),
  "content replaced behind the trailer": (file) =>
    Buffer.concat([updated(file, {}), Buffer.from(`${content} 0 obj\n${streamOf(otherText)}\nendobj\n`)]),
  "another trailer behind the file's end": (file) =>
    Buffer.concat([updated(file, {}), Buffer.from(`trailer\n<</Root ${pages} 0 R>>\n`)]),
  "content replaced in a hybrid's hidden part": (file) =>
    updated(file, { [content]: streamOf(otherText) }, { crossReference: "hidden" }),
  "content replaced, sections in a loop": (file) => {
    const start = file.length + `\n5 0 obj\n${streamOf(otherText)}\nendobj\n`.length;
    return updated(file, { [content]: streamOf(otherText) }, { previous: start });
  },
  "font replaced": (file) => updated(file, { [font]: "<</Type/Font/Subtype/Type1/BaseFont/ZapfDingbats>>" }),
  "page added": (file) =>
    updated(file, {
      [pages]: `<</Type/Pages/Kids[${mine} 0 R ${page} 0 R]/Count 2>>`,
      [mine]: bodyOf(file, page).replace(/\/Contents\s*(\[[^\]]*\]|\d+ 0 R)/, `/Contents ${mineToo} 0 R`),
      [mineToo]: streamOf(otherText),
    }),
  "page added that calls itself a signature field": (file) =>
    updated(file, {
      [pages]: `<</Type/Pages/Kids[${page} 0 R ${mine} 0 R]/Count 2>>`,
      [mine]: withEntries(bodyOf(file, page), "/FT/Sig"),
    }),
  "page turned": (file) => updated(file, { [page]: withEntries(bodyOf(file, page), "/Rotate 180") }),
  "page removed": (file) => updated(file, {}, { freed: [page] }),
  "catalog with an action": (file) =>
    updated(file, {
      [catalog]: withEntries(bodyOf(file, catalog), "/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>"),
    }),
  "catalog with its pages twice": (file) =>
    updated(file, {
      [catalog]: bodyOf(file, catalog).replace("<<", `<</Pages ${mine} 0 R`),
      [mine]: `<</Type/Pages/Kids[${mineToo} 0 R]/Count 1>>`,
      [mineToo]: `<</Type/Page/Parent ${mine} 0 R/MediaBox[0 0 595 842]/Contents ${mineThree} 0 R>>`,
      [mineThree]: streamOf(otherText),
    }),
  "another catalog": (file) => updated(file, { [mine]: bodyOf(file, catalog) }, { trailer: `/Root ${mine} 0 R` }),
  "encryption added": (file) =>
    updated(file, { [mine]: "<</Filter/Standard/V 1/R 2/P -4>>" }, { trailer: `/Encrypt ${mine} 0 R` }),
  "object pointed at another place of what was signed": (file) => {
    const offset = Buffer.from(file).indexOf(`\n${font} 0 obj`) + 1;
    return updated(file, {}, { offsets: { [content]: offset } });
  },
  "form filled in": (file) =>
    withField(file, `<</FT/Tx/T(owed)/V(everything)/Type/Annot/Subtype/Widget${seen}>>`, { [mineToo]: appearance }),
  // Annotations and fields over the page
  "note over the page": (file) =>
    updated(file, {
      [page]: inPage(file, mine),
      [mine]: `<</Type/Annot/Subtype/FreeText${seen}>>`,
      [mineToo]: appearance,
    }),
  "note over the page that calls itself a signature field": (file) =>
    withField(file, `<</Type/Annot/Subtype/FreeText/FT/Sig/T(x)${seen}>>`, { [mineToo]: appearance }),
  "note over the page without an appearance of its own": (file) =>
    withField(file, "<</Type/Annot/Subtype/FreeText/FT/Sig/T(x)/Rect[0 0 595 842]/DA(/F1 9 Tf)/Contents(everything)>>"),
  "field over the page without a signature": (file) =>
    withField(file, `<</Type/Annot/Subtype/Widget/FT/Sig/T(x)${seen}>>`, { [mineToo]: appearance }),
  "field over the page with the signature that was there": (file) =>
    withField(file, `<</Type/Annot/Subtype/Widget/FT/Sig/T(x)/V ${lastSignature(file).number} 0 R${seen}>>`, {
      [mineToo]: appearance,
    }),
  "field with an action": (file) =>
    withField(file, "<</Type/Annot/Subtype/Widget/FT/Sig/T(x)/Rect[0 0 0 0]/AA<</PV<</S/JavaScript/JS(1)>>>>>>"),
  "signature field taken out of the form": (file) =>
    updated(file, { [catalog]: bodyOf(file, catalog).replace(/\/Fields\s*\[[^\]]*\]/, "/Fields[]") }),
  // What may change, pointed at what may not
  "page as the store of validation data": (file) =>
    updated(file, {
      [catalog]: withEntries(bodyOf(file, catalog), `/DSS ${page} 0 R`),
      [page]: bodyOf(file, page).replace(/\/Contents\s*(\[[^\]]*\]|\d+ 0 R)/, `/Contents ${mine} 0 R`),
      [mine]: streamOf(otherText),
    }),
  "page as the form": (file) =>
    updated(file, {
      [catalog]: bodyOf(file, catalog).replace(/\/AcroForm\s*<<[^>]*>>/, `/AcroForm ${page} 0 R`),
      [page]: bodyOf(file, page).replace(/\/Contents\s*(\[[^\]]*\]|\d+ 0 R)/, `/Contents ${mine} 0 R`),
      [mine]: streamOf(otherText),
    }),
  "signed bytes moved behind another document": wrapped,
};

/** The same signature once more, in a field of its own that tells another date. */
export const toldTwice = (file: Uint8Array): Buffer => {
  const told = bodyOf(file, lastSignature(file).number).replace(/\/M\(D:\d{4}/, "/M(D:1999");
  return withField(file, `<</Type/Annot/Subtype/Widget/FT/Sig/T(x)/Rect[0 0 0 0]/V ${mineToo} 0 R>>`, {
    [mineToo]: told,
  });
};

/** Documents that were prepared before they were sealed, and what makes others of them afterwards (shadow attacks). */
export const shadows: Record<
  string,
  { prepare: (document: Uint8Array) => Buffer; change: (sealed: Uint8Array) => Buffer }
> = {
  "content that was pointed at, and comes later": {
    prepare: (file) => updated(file, { [page]: withContents(file, `[${content} 0 R ${mine} 0 R]`) }),
    change: (file) => updated(file, { [mine]: streamOf(otherText) }),
  },
  "content that the cross-reference has behind the file's end": {
    prepare: (file) =>
      updated(file, { [page]: withContents(file, `[${content} 0 R ${mine} 0 R]`) }, { offsets: { [mine]: 99_000 } }),
    change: (file) => {
      const before = Buffer.concat([file, Buffer.alloc(99_000 - file.length - 1, " "), Buffer.from("\n")]);
      const added = Buffer.from(`${mine} 0 obj\n${streamOf(otherText)}\nendobj\n`, "latin1");
      return updated(Buffer.concat([before, added]), {}, { previous: startOf(file) });
    },
  },
  "content that is longer than the file": {
    prepare: (file) =>
      updated(file, {
        [page]: withContents(file, `[${content} 0 R ${mine} 0 R]`),
        [mine]: `<</Length 90000>>\nstream\n\nendstream`,
      }),
    change: (file) => {
      const start = Buffer.from(file).indexOf("<</Length 90000>>\nstream\n") + "<</Length 90000>>\nstream\n".length;
      const text = Buffer.from(`\n${otherText}`);
      const filler = Buffer.alloc(start + 90_000 - file.length - text.length, " ");
      return updated(
        Buffer.concat([file, text, filler, Buffer.from("\nendstream\nendobj\n")]),
        {},
        { previous: startOf(file) },
      );
    },
  },
  "list of contents to which a stream is added that calls itself a signature field": {
    prepare: (file) => updated(file, { [page]: withContents(file, `${mine} 0 R`), [mine]: `[${content} 0 R]` }),
    change: (file) =>
      updated(file, { [mine]: `[${content} 0 R ${mineToo} 0 R]`, [mineToo]: streamOf(otherText, "/FT/Sig") }),
  },
  "list of contents that is the list of annotations, too": {
    prepare: (file) =>
      updated(file, {
        [page]: withContents(file, `${mine} 0 R/Annots ${mine} 0 R`),
        [mine]: `[${content} 0 R]`,
      }),
    change: (file) =>
      updated(file, { [mine]: `${bodyOf(file, mine).slice(0, -1)} ${mineToo} 0 R]`, [mineToo]: "<</FT/Sig/T(x)>>" }),
  },
  "content behind two references": {
    prepare: (file) =>
      updated(file, {
        [page]: withContents(file, `${mine} 0 R`),
        [mine]: `${mineToo} 0 R`,
        [mineToo]: streamOf(sealedText),
      }),
    change: (file) => updated(file, { [mineToo]: streamOf(otherText) }),
  },
  "content behind two references, of which the second leads nowhere yet": {
    prepare: (file) =>
      updated(file, { [page]: withContents(file, `[${content} 0 R ${mine} 0 R]`), [mine]: `${mineToo} 0 R` }),
    change: (file) => updated(file, { [mineToo]: streamOf(otherText) }),
  },
  "overlay that is taken away": {
    prepare: (file) =>
      updated(file, {
        [page]: withContents(file, `[${content} 0 R ${mine} 0 R]`),
        [mine]: streamOf("1 1 1 rg 0 0 595 842 re f"),
      }),
    change: (file) => updated(file, { [mine]: streamOf("") }),
  },
  "overlay that is freed": {
    prepare: (file) =>
      updated(file, {
        [page]: withContents(file, `[${content} 0 R ${mine} 0 R]`),
        [mine]: streamOf("1 1 1 rg 0 0 595 842 re f"),
      }),
    change: (file) => updated(file, {}, { freed: [mine] }),
  },
  "text field that is filled in": {
    prepare: (file) =>
      updated(file, {
        [catalog]: withEntries(bodyOf(file, catalog), `/AcroForm<</Fields[${mine} 0 R]>>`),
        [mine]: `<</FT/Tx/T(owed)/V(nothing)/Type/Annot/Subtype/Widget/Rect[0 0 99 99]>>`,
      }),
    change: (file) => updated(file, { [mine]: bodyOf(file, mine).replace("nothing", "everything") }),
  },
};

const withContents = (file: Uint8Array, contents: string): string =>
  bodyOf(file, page).replace(/\/Contents \d+ 0 R/, `/Contents ${contents}`);
