import { type FixtureOptions, pdf, textAt } from "@rubrica/test-kit/pdf/fixtures";
import { type1 } from "@rubrica/test-kit/pdf/font-programs";
import { bodyOf, lastSignature, streamOf, type UpdateOptions, updated } from "@rubrica/test-kit/pdf/update";
import {
  type Change,
  catalog,
  content,
  font,
  forged,
  honest,
  mine,
  mineToo,
  page,
  pages,
  replaced,
  secondContent,
  secondPage,
} from "./changing.ts";
import { changesOfDrawing, DRAWN, withDrawing } from "./drawn-forgeries.ts";

/**
 * Forgeries as a product: what is sealed, what an attacker changes, and in which form the change is appended. Each shows
 * another document than the one that was sealed, or one thing to some readers and another to others.
 */

const form = (drawn: string): string => streamOf(drawn, "/Type/XObject/Subtype/Form/BBox[0 0 595 842]");
/** What a page draws, as it is or as a stamp has it. */
const CONTENTS = /\/Contents\s*(?:\[[^\]]*\]|\d+ 0 R)/;
const twoPages = [{ content: honest }, { content: textAt(50, 700, "Segunda") }];

/** What is sealed. */
export const originals: Readonly<Record<string, FixtureOptions>> = {
  "with a table": { pages: twoPages },
  "with a cross-reference stream": { pages: twoPages, crossReference: "stream" },
  "with a form, a layer and an annotation": {
    pages: [{ entries: "/MediaBox[0 0 595 842]/Annots[8 0 R 10 0 R]", content: honest }, { content: honest }],
    catalog: "/AcroForm<</Fields[10 0 R]/DA(/F1 12 Tf)>>/OCProperties<</OCGs[11 0 R]/D<</ON[11 0 R]>>>>",
    objects: [
      "<</Type/Annot/Subtype/FreeText/Rect[50 600 200 640]/F 4/DA(/F1 12 Tf)/Contents(Nota)/AP<</N 9 0 R>>>>",
      streamOf(textAt(0, 5, "Nota"), "/Type/XObject/Subtype/Form/BBox[0 0 150 40]"),
      "<</Type/Annot/Subtype/Widget/FT/Tx/T(monto)/V(100)/Rect[50 500 200 540]/F 4/AP<</N 9 0 R>>>>",
      "<</Type/OCG/Name(Capa)>>",
    ],
  },
};

export const originalOf = (name: string): Uint8Array => pdf(name === DRAWN ? withDrawing : (originals[name] ?? {}));

const withEntries = (body: string, entries: string): string => body.replace(/>>\s*$/, `${entries}>>`);
const inCatalog =
  (entries: string, more: Record<number, string> = {}) =>
  (file: Uint8Array): Change => ({
    objects: { [catalog]: withEntries(bodyOf(file, catalog), entries), ...more },
  });
const inPage =
  (entries: string, more: Record<number, string> = {}) =>
  (file: Uint8Array): Change => ({
    objects: { [page]: withEntries(bodyOf(file, page), entries), ...more },
  });
const withAnnotation =
  (annotation: string) =>
  (file: Uint8Array): Change => {
    const body = bodyOf(file, page);
    const annotated = /\/Annots\s*\[/.test(body)
      ? body.replace(/\/Annots\s*\[/, `/Annots[${mine} 0 R `)
      : withEntries(body, `/Annots[${mine} 0 R]`);
    return { objects: { [page]: annotated, [mine]: annotation, [mineToo]: form(forged) } };
  };
const over = `/Rect[0 0 595 842]/AP<</N ${mineToo} 0 R>>`;
const withKids = (kids: string, count: number, more: Record<number, string> = {}): Change => ({
  objects: { [pages]: `<</Type/Pages/Kids[${kids}]/Count ${count}>>`, ...more },
});
/** What is changed, by its kind. */
export const changes: Readonly<Record<string, (file: Uint8Array) => Change>> = {
  // Replace, hide, hide and replace
  "the page's content": () => ({ objects: { [content]: streamOf(forged) } }),
  "the second page's content": () => ({ objects: { [secondContent]: streamOf(forged) } }),
  "one more content": (file) => ({
    objects: {
      [page]: bodyOf(file, page).replace(CONTENTS, `/Contents[5 0 R ${mine} 0 R]`),
      [mine]: streamOf(forged),
    },
  }),
  "another content": (file) => ({
    objects: {
      [page]: bodyOf(file, page).replace(CONTENTS, `/Contents ${mine} 0 R`),
      [mine]: streamOf(forged),
    },
  }),
  // Content that readers go on with each in its own way, or that hides what was there
  ...Object.fromEntries(
    Object.entries({
      "a content that paints it over": "1 g 0 0 595 842 re f",
      "a content that clips what follows": "0 0 1 1 re W n",
      "a content that moves what follows": "1 0 0 1 900 0 cm",
      "a content that shows what follows as nothing": "3 Tr",
      "a content whose text cuts out what follows": "BT /F1 1 Tf 7 Tr (.) Tj ET",
      "a content that only some readers end": "q (",
      "a content with an operator that sticks": "1 0 0rg",
      "a content with a number of two signs": "--5 w",
      "a content with operands too few": "0 rg",
      "a content with an inline image over the page": "q 595 0 0 842 0 0 cm BI /W 1/H 1/BPC 8/CS/G ID \xff\nEI Q",
      "a content with an inline image without an end": "BI /W 9/H 9/BPC 8/CS/G ID x",
      "a content that writes a layer": "/OC <</Type/OCG/Name(x)>> BDC",
      "a content that leaves text open": "BT",
    }).flatMap(([name, drawn]) =>
      ([true, false] as const).map((isFirst) => [
        `${name}, ${isFirst ? "before" : "after"} the page's own`,
        (file: Uint8Array): Change => ({
          objects: {
            [page]: bodyOf(file, page).replace(
              CONTENTS,
              isFirst ? `/Contents[${mine} 0 R 5 0 R]` : `/Contents[5 0 R ${mine} 0 R]`,
            ),
            [mine]: streamOf(drawn),
          },
        }),
      ]),
    ),
  ),
  "a content that is not there": (file) => ({
    objects: { [page]: bodyOf(file, page).replace(CONTENTS, "/Contents[null 5 0 R]") },
  }),
  "no content": replaced(page, CONTENTS, "/Contents null"),
  "a content freed": () => ({ freed: [content] }),
  // What is drawn by something else
  "another font": () => ({ objects: { [font]: "<</Type/Font/Subtype/Type1/BaseFont/Symbol>>" } }),
  "a font that draws other figures": () => ({
    objects: {
      [font]: "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Type/Encoding/Differences[48/nine/eight]>>>>",
    },
  }),
  "a font with a program of its own": () => ({
    objects: {
      [font]: `<</Type/Font/Subtype/Type1/BaseFont/Own/FontDescriptor<</Type/FontDescriptor/FontFile ${mine} 0 R>>>>`,
      [mine]: streamOf(type1({ names: [".notdef", "nine", "one", "seven"] }).toString("latin1")),
    },
  }),
  "a transfer function": inPage(`/Resources<</Font<</F1 3 0 R>>/ExtGState<</G<</TR ${mine} 0 R>>>>>>`, {
    [mine]: "<</FunctionType 2/Domain[0 1]/C0[1]/C1[0]/N 1>>",
  }),
  // The page
  "a page of another size": replaced(page, /\/MediaBox\s*\[[^\]]*\]/, "/MediaBox[0 0 595 600]"),
  "a page cropped": inPage("/CropBox[0 0 595 650]"),
  "a page turned": inPage("/Rotate 180"),
  "a page of another unit": inPage("/UserUnit 2"),
  "a page's own actions": inPage("/AA<</O<</S/JavaScript/JS(app.alert(1))>>>>"),
  // The page tree
  "pages the other way round": () => withKids(`${secondPage} 0 R ${page} 0 R`, 2),
  "a page less": () => withKids(`${secondPage} 0 R`, 1),
  "a page twice": () => withKids(`${page} 0 R ${page} 0 R ${secondPage} 0 R`, 3),
  "a page more": (file) =>
    withKids(`${mine} 0 R ${page} 0 R ${secondPage} 0 R`, 3, {
      [mine]: bodyOf(file, page)
        .replace(CONTENTS, `/Contents ${mineToo} 0 R`)
        .replace(/\/Annots\s*\[[^\]]*\]/, ""),
      [mineToo]: streamOf(forged),
    }),
  "another page tree": (file) => ({
    objects: {
      [catalog]: bodyOf(file, catalog).replace(/\/Pages 2 0 R/, `/Pages ${mine} 0 R`),
      [mine]: `<</Type/Pages/Kids[${secondPage} 0 R]/Count 1>>`,
    },
  }),
  "a page that has kids": inPage(`/Kids[${secondPage} 0 R]/Count 1`),
  // Evil annotations, sneaky fields
  "a note over the page": withAnnotation(`<</Type/Annot/Subtype/FreeText${over}/F 4/DA(/F1 1 Tf)/Contents()>>`),
  "a stamp over the page": withAnnotation(`<</Type/Annot/Subtype/Stamp${over}/F 4>>`),
  "a redaction over the page": withAnnotation(`<</Type/Annot/Subtype/Redact${over}/F 4>>`),
  "a square over the page": withAnnotation("<</Type/Annot/Subtype/Square/Rect[0 0 595 842]/IC[1 1 1]/F 4>>"),
  "a wide line over the page": withAnnotation(
    "<</Type/Annot/Subtype/Line/Rect[0 0 595 842]/L[0 700 595 700]/C[1 1 1]/BS<</W 60>>/F 4>>",
  ),
  "ink over the page": withAnnotation(
    "<</Type/Annot/Subtype/Ink/Rect[0 0 595 842]/InkList[[0 700 595 700]]/C[1 1 1]/BS<</W 60>>/F 4>>",
  ),
  "a popup over the page": withAnnotation(
    "<</Type/Annot/Subtype/Popup/Rect[0 0 595 842]/Open true/Contents(forged)/F 4>>",
  ),
  "a note for printers": withAnnotation(`<</Type/Annot/Subtype/Stamp${over}/F 36>>`),
  "a link": withAnnotation("<</Type/Annot/Subtype/Link/Rect[0 0 595 842]/A<</S/URI/URI(http://forged.example)>>>>"),
  "a field over the page": (file) => {
    const annotated = withAnnotation(`<</Type/Annot/Subtype/Widget/FT/Tx/T(x)/V(x)${over}/F 4>>`)(file);
    const fields = bodyOf(file, catalog).replace(/\/Fields\s*\[/, `/Fields[${mine} 0 R `);
    return { objects: { ...annotated.objects, [catalog]: fields } };
  },
  "a field of a signature, drawn over the page": (file) => {
    const annotated = withAnnotation(`<</Type/Annot/Subtype/Widget/FT/Sig/T(Sneaky)${over}/F 4>>`)(file);
    const fields = bodyOf(file, catalog).replace(/\/Fields\s*\[/, `/Fields[${mine} 0 R `);
    return { objects: { ...annotated.objects, [catalog]: fields } };
  },
  "fields that readers draw anew": replaced(catalog, /\/Fields\s*\[/, "/NeedAppearances true/Fields["),
  "the seal's field no field any more": replaced(catalog, /\/Fields\s*\[[^\]]*\]/, "/Fields[]"),
  "the seal's dictionary freed": (file) => ({ freed: [lastSignature(file).number] }),
  // Layers, names, actions
  "a layer's setting": inCatalog(`/OCProperties<</OCGs[${mine} 0 R]/D<</OFF[${mine} 0 R]>>>>`, {
    [mine]: "<</Type/OCG/Name(L)>>",
  }),
  "an action at opening": inCatalog("/OpenAction<</S/JavaScript/JS(app.alert(1))>>"),
  "actions of the document": inCatalog("/AA<</WP<</S/JavaScript/JS(app.alert(1))>>>>"),
  "a script among the names": inCatalog("/Names<</JavaScript<</Names[(a)<</S/JavaScript/JS(app.alert(1))>>]>>>>"),
  "a file among the names": inCatalog(
    `/Names<</EmbeddedFiles<</Names[(a)<</Type/Filespec/F(a)/EF<</F ${mine} 0 R>>>>]>>>>`,
    {
      [mine]: streamOf("forged", "/Type/EmbeddedFile"),
    },
  ),
  "what is printed": inCatalog("/ViewerPreferences<</PrintArea/CropBox/ViewArea/MediaBox>>"),
  "a certification": inCatalog(`/Perms<</DocMDP ${mine} 0 R>>`, { [mine]: "<</Type/Sig>>" }),
  // Validation data that hides objects
  "a store whose certificate holds an object": inCatalog(`/DSS<</Certs[${mine} 0 R]>>`, {
    [mine]: streamOf(`30 5 0 obj\n${streamOf(forged)}\nendobj\n`),
  }),
  "a store whose certificate holds an object of a long generation": inCatalog(`/DSS<</Certs[${mine} 0 R]>>`, {
    [mine]: streamOf(`30 5 000000 obj\n${streamOf(forged)}\nendobj\n`),
  }),
  "a store, and another content": (file) => ({
    objects: {
      ...inCatalog(`/DSS<</Certs[${mine} 0 R]>>`, { [mine]: streamOf("30>", "/Filter/ASCIIHexDecode") })(file).objects,
      [content]: streamOf(forged),
    },
  }),
  // The trailer
  "another catalog": (file) => ({
    objects: {
      [mine]: bodyOf(file, catalog).replace(/\/Pages 2 0 R/, `/Pages ${mineToo} 0 R`),
      [mineToo]: `<</Type/Pages/Kids[${secondPage} 0 R]/Count 1>>`,
    },
    trailer: `/Root ${mine} 0 R`,
  }),
  "an encryption": () => ({ objects: {}, trailer: "/Encrypt<</Filter/Standard/V 1/R 2/O<00>/U<00>/P -4>>" }),
};

/** In which form it is appended. */
export const forms: Readonly<Record<string, Pick<UpdateOptions, "crossReference" | "previous">>> = {
  "by a table": {},
  "by a hidden stream": { crossReference: "hidden" },
  "by a stream": { crossReference: "stream" },
  "by a stream of objects": { crossReference: "packed" },
  "by objects that no cross-reference names": { crossReference: "none" },
  "by a table that leaves the seal's out": { previous: 0 },
  "by a table that leads back to itself": { previous: "itself" },
  "by a stream that leads back to itself": { crossReference: "stream", previous: "itself" },
};

/** Undefined where the form can't say what is changed: what is freed is so by a table that readers follow. */
export const forgery = (sealed: Uint8Array, change: string, formName: string): Buffer | undefined => {
  const { objects = {}, ...beside } = (changes[change] ?? changesOfDrawing[change])?.(sealed) ?? {};
  const form = forms[formName];
  if (Object.keys(objects).length === 0 && form !== forms["by a table"]) return undefined;
  const forged = updated(sealed, objects, { ...beside, ...form });
  for (const [number, body] of Object.entries(objects))
    if (Number(number) < mine && bodyOf(sealed, Number(number)) === body) throw new Error(`${change} changes nothing`);
  return forged;
};
