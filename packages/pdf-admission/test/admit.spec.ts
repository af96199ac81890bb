import { readFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { openedEngine } from "@rubrica/test-kit/pdf/engine";
import { firstFurtherObject, pdf, stampOf, textAt } from "@rubrica/test-kit/pdf/fixtures";
import { has, output, temporaryFile, temporaryFolder } from "@rubrica/test-kit/pdf/tools";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { describe, expect, test } from "vitest";

const { engine, identity } = await openedEngine();
const next = firstFurtherObject(1);
const SCRIPT = "app.alert(1)";
const onPage = (entries: string) => ({ pages: [{ entries: `/MediaBox[0 0 595 842]${entries}`, content: "q Q" }] });
const link = (action: string) =>
  onPage(`/Annots[<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A${action}/Contents(seen)>>]`);
const script = `<</S/JavaScript/JS(${SCRIPT})>>`;

/** Everything that a file's cross-reference has, as text, without the data of streams. */
const textOf = (bytes: Uint8Array): string => {
  const file = PdfFile.open(bytes);
  return file
    .references()
    .map(({ objectNumber }) => String(file.uncached(objectNumber)?.object))
    .join("\n");
};

describe("active content of a file that nobody has signed is taken out", () => {
  test.each([
    ["a script that runs when it is opened", "javascript", { catalog: `/OpenAction${script}` }],
    ["a script in an object of its own", "javascript", { catalog: `/OpenAction ${next} 0 R`, objects: [script] }],
    ["a script whose name is spelt otherwise", "javascript", { catalog: "/OpenAction<</S/J#61vaScript/J#53(x)>>" }],
    [
      "a script in a stream",
      "javascript",
      {
        catalog: `/OpenAction<</S/JavaScript/JS ${next} 0 R>>`,
        objects: [`<</Length 12>>\nstream\n${SCRIPT}\nendstream`],
      },
    ],
    ["scripts by their names", "javascript", { catalog: `/Names<</JavaScript<</Names[(a)${script}]>>>>` }],
    [
      "a script that follows",
      "javascript",
      link(`<</S/URI/URI(https://rubrica.example)/Next[<</S/Named/N/NextPage>>${script}]>>`),
    ],
    ["a script that nothing refers to", "javascript", { objects: [script] }],
    ["a script of a field", "javascript", { catalog: `/AcroForm<</Fields[<</FT/Tx/T(a)/AA<</K${script}>>>>]>>` }],
    ["a script of an outline", "javascript", { catalog: `/Outlines<</First<</Title(t)/A${script}>>>>` }],
    ["a script of a rendition", "javascript", link("<</S/Rendition/OP 0/JS(x)>>")],
    [
      "a script of 3D artwork",
      "javascript",
      {
        objects: [
          `<</Type/3D/OnInstantiate ${next + 1} 0 R/Length 0>>\nstream\n\nendstream`,
          "<</Length 0>>\nstream\n\nendstream",
        ],
      },
    ],
    ["a script as an address", "other_file", link("<</S/URI/URI(java\\tscript:app.alert\\(1\\))>>")],
    ["an address of a file", "other_file", link("<</S/URI/URI(file:///etc/passwd)>>")],
    ["an address on a network of files", "other_file", link("<</S/URI/URI(\\\\\\\\host\\\\share)>>")],
    ["a program", "launch", link("<</S/Launch/F(calc.exe)>>")],
    ["a program that is asked for by a page", "launch", onPage("/AA<</O<</S/Launch/Win<</F(cmd.exe)>>>>>>")],
    ["a form that is sent", "data_exchange", link("<</S/SubmitForm/F(https://rubrica.example)>>")],
    ["data that is taken in", "data_exchange", link("<</S/ImportData/F(data.fdf)>>")],
    ["another file", "other_file", link("<</S/GoToR/F(\\\\\\\\host\\\\share)/D[0/Fit]>>")],
    ["an attached file that is opened", "other_file", { catalog: "/OpenAction<</S/GoToE/T<</R/C/N(a)>>>>" }],
    [
      "an address that is gone to by itself",
      "automatic_action",
      { catalog: "/OpenAction<</S/URI/URI(https://rubrica.example)>>" },
    ],
    ["a print dialog", "automatic_action", { catalog: "/OpenAction<</S/Named/N/Print>>" }],
    ["layers that are switched by themselves", "automatic_action", onPage("/AA<</O<</S/SetOCGState/State[/ON]>>>>")],
    ["what is hidden by itself", "automatic_action", { catalog: "/AA<</WP<</S/Hide/T(a)>>>>" }],
    ["an action that nobody knows", "automatic_action", link("<</S/Unheard>>")],
    ["a portfolio", "automatic_action", { catalog: "/Collection<</View/D/D(a.pdf)>>" }],
    ["a film", "media", link("<</S/Movie/T(a)>>")],
    [
      "rich media",
      "media",
      onPage("/Annots[<</Subtype/RichMedia/Rect[0 0 9 9]/RichMediaSettings<<>>/RichMediaContent<<>>>>]"),
    ],
    ["3D artwork that starts by itself", "media", onPage("/Annots[<</Subtype/3D/Rect[0 0 9 9]/3DA<</A/PO>>>>]")],
    ["an XFA form", "dynamic_form", { catalog: "/AcroForm<</Fields[]/XFA[(a)(b)]>>" }],
    ["usage rights", "usage_rights", { catalog: "/Perms<</UR3<</Type/Sig>>>>" }],
    [
      "a page of another file",
      "other_file",
      { objects: ["<</Subtype/Form/BBox[0 0 9 9]/Ref<</F(a.pdf)/Page 0>>/Length 0>>\nstream\n\nendstream"] },
    ],
  ] as const)("%s", async (_, kind, options) => {
    const bytes = pdf(options);
    const admission = await engine.admit(bytes);
    expect(admission.disarmed).toContain(kind);
    expect(admission.active).toEqual([]);
    const disarmed = admission.bytes ?? new Uint8Array();
    expect(textOf(disarmed)).not.toMatch(
      /JavaScript|JS|Launch|SubmitForm|ImportData|GoToR|GoToE|alert|OpenAction|AA|XFA|UR3|3DA|Rich.*<<|Ref<|Unheard/,
    );
    expect(Buffer.from(disarmed).includes(SCRIPT)).toBe(false);
    expect((await engine.admit(disarmed)).bytes).toBeNull();
    expect(admission.inspection).toEqual(await engine.inspect(disarmed));
  });

  test.each(["table", "stream"] as const)(
    "the same each time, with a cross-reference %s, and the pages stay",
    async (crossReference) => {
      const pages = [{ content: textAt(50, 700, "SaidHere") }, { entries: "/MediaBox[0 0 300 300]" }];
      const bytes = pdf({ pages, crossReference, catalog: `/OpenAction${script}` });
      const [one, other] = [await engine.admit(bytes), await engine.admit(bytes)];
      expect(Buffer.compare(one.bytes ?? bytes, other.bytes ?? bytes)).toBe(0);
      expect(one.inspection.pages).toEqual((await engine.inspect(bytes)).pages);
      const sealed = await engine.stampAndSeal(one.bytes ?? bytes, [stampOf()], { identity, sealedAt: 0 });
      expect(
        Buffer.from(sealed.bytes)
          .subarray(0, one.bytes?.length)
          .equals(Buffer.from(one.bytes ?? bytes)),
      ).toBe(true);
      if (has("pdftotext")) expect(output("pdftotext", temporaryFile(sealed.bytes), "-")).toContain("SaidHere");
      if (has("qpdf")) expect(() => output("qpdf", "--check", temporaryFile(sealed.bytes))).not.toThrow();
    },
  );

  test("within an object stream", async () => {
    const held = `<</S/JavaScript/JS(${SCRIPT})>>`;
    const data = deflateSync(Buffer.from(`99 0 ${held}`)).toString("latin1");
    const stream = `<</Type/ObjStm/N 1/First 5/Filter/FlateDecode/Length ${data.length}>>\nstream\n${data}\nendstream`;
    // Nothing but the search for objects finds it.
    expect((await engine.admit(pdf({ objects: [stream] }))).disarmed).toEqual(["javascript"]);
  });

  test("in an object that the cross-reference passes over", async () => {
    const bytes = Buffer.from(pdf());
    const at = bytes.indexOf("xref\n");
    const hidden = Buffer.from(`1 0 obj\n<</Type/Catalog/Pages 2 0 R/OpenAction${script}>>\nendobj\n`);
    const moved = Buffer.concat([
      bytes.subarray(0, at),
      hidden,
      Buffer.from(
        bytes
          .subarray(at)
          .toString("latin1")
          .replace(/startxref\n\d+/, `startxref\n${at + hidden.length}`),
      ),
    ]);
    const { bytes: disarmed, disarmed: found } = await engine.admit(moved);
    expect(found).toEqual(["javascript"]);
    expect(Buffer.from(disarmed ?? []).includes(SCRIPT)).toBe(false);
  });

  test.skipIf(!has("qpdf"))("where it is encrypted for everybody to open", async () => {
    const encrypted = join(temporaryFolder(), "encrypted.pdf");
    const plain = temporaryFile(pdf(link("<</S/URI/URI(javascript:alert)>>")));
    output("qpdf", "--encrypt", "", "owner", "256", "--", plain, encrypted);
    expect((await engine.admit(readFileSync(encrypted))).disarmed).toEqual(["other_file"]);
  });
});

describe("what is sealed begins with what is accepted", () => {
  const isSoOf = async (sent: Uint8Array) => {
    const { bytes } = await engine.admit(sent);
    const accepted = Buffer.from(bytes ?? sent);
    const { bytes: sealed } = await engine.seal(accepted, { identity, sealedAt: 0 });
    expect(Buffer.from(sealed.subarray(0, accepted.length))).toEqual(accepted);
    return accepted;
  };

  test("where something stands before a file's header, which goes", async () => {
    const file = Buffer.from(pdf());
    expect(await isSoOf(Buffer.concat([Buffer.from("from: somebody\n"), file]))).toEqual(file);
  });

  test.skipIf(!has("qpdf"))("where a file is encrypted for everybody to open, which is decrypted", async () => {
    const encrypted = join(temporaryFolder(), "encrypted.pdf");
    output("qpdf", "--encrypt", "", "owner", "256", "--", temporaryFile(pdf()), encrypted);
    expect((await isSoOf(readFileSync(encrypted))).includes("/Encrypt")).toBe(false);
  });
});

describe("what does nothing by itself stays, to the last bit", () => {
  test.each([
    ["nothing active", {}],
    ["a place to begin at", { catalog: "/OpenAction[4 0 R/Fit]" }],
    ["an action to begin at a place", { catalog: "/OpenAction<</S/GoTo/D[4 0 R/Fit]>>" }],
    ["a link to the web", link("<</S/URI/URI(https://rubrica.example/?a=b:c)>>")],
    ["a link to a mailbox", link("<</S/URI/URI(mailto:ana@rubrica.example)>>")],
    ["a link without a scheme", link("<</S/URI/URI(contracts/terms.html)>>")],
    ["a link within the file", link("<</S/GoTo/D[4 0 R/Fit]/Next<</S/Named/N/NextPage>>>>")],
    [
      "an outline",
      {
        catalog: `/Outlines<</First ${next} 0 R>>`,
        objects: [`<</Title(a)/Dest[4 0 R/Fit]/Next ${next + 1} 0 R>>`, "<</Title(b)/A<</S/GoTo/D[4 0 R/Fit]>>>>"],
      },
    ],
    [
      "fonts that are called like actions",
      { objects: ["<</Font<</AA 3 0 R/A 3 0 R/JS 3 0 R/OpenAction 3 0 R/Next 3 0 R>>>>"] },
    ],
    ["a structure with such words", { catalog: "/StructTreeRoot<</K<</Type/StructElem/S/Launch/A<</O/Layout>>>>>>" }],
    ["an attached file", { catalog: "/Names<</EmbeddedFiles<</Names[(a)<</Type/Filespec/F(a.txt)>>]>>>>" }],
    ["words on a page", { pages: [{ content: textAt(9, 9, "/JavaScript /Launch") }] }],
  ])("%s", async (_, options) => {
    const admission = await engine.admit(pdf(options));
    expect(admission).toMatchObject({ bytes: null, active: [], disarmed: [] });
  });

  test("what a signature covers", async () => {
    const bytes = pdf({ catalog: `/OpenAction${script}/AA<</WP<</S/Launch/F(a)>>>>` });
    const { bytes: signed } = await engine.seal(bytes, { identity, sealedAt: 0 });
    expect(await engine.admit(signed)).toMatchObject({ bytes: null, active: ["javascript", "launch"], disarmed: [] });
  });
});

describe("a form that is drawn when the file is opened", () => {
  const packets = (configuration: Buffer, entries = "") => ({
    catalog: `/AcroForm<</Fields[]/XFA[(config) ${next} 0 R]>>`,
    objects: [streamOf(configuration.toString("latin1"), entries)],
  });
  const configuration = (render: string) =>
    Buffer.from(`<acrobat7><dynamicRender>${render}</dynamicRender></acrobat7>`);
  const dynamic = { reason: "dynamic_form" };

  test("is refused: its pages say nothing of it", async () => {
    const declared = pdf({ catalog: "/NeedsRendering true/AcroForm<</Fields[]/XFA[(a)(b)]>>" });
    await expect(engine.admit(declared)).rejects.toMatchObject(dynamic);
    await expect(engine.admit(pdf(packets(configuration("required"))))).rejects.toMatchObject(dynamic);
    const compressed = packets(deflateSync(configuration("required")), "/Filter/FlateDecode");
    await expect(engine.admit(pdf(compressed))).rejects.toMatchObject(dynamic);
  });

  test("is taken where its pages are its own, without the form that is drawn over them", async () => {
    const admission = await engine.admit(pdf(packets(configuration("forbidden"))));
    expect(admission.disarmed).toEqual(["dynamic_form"]);
  });
});

test("usage rights are named where somebody else has signed", async () => {
  const bytes = pdf({ catalog: "/Perms<</UR3<</Type/Sig>>>>" });
  const { bytes: signed } = await engine.seal(bytes, { identity, sealedAt: 0 });
  expect(await engine.admit(signed)).toMatchObject({ bytes: null, active: ["usage_rights"], disarmed: [] });
});

describe("what an update has deleted, and still stands in the file", () => {
  const form = (entries = "") => `<</Type/XObject/Subtype/Form/BBox[0 0 9 9]${entries}/Length 0>>\nstream\n\nendstream`;
  const withDeleted = (number: number, options: Parameters<typeof pdf>[0]) => {
    const whole = Buffer.from(pdf(options)).toString("latin1");
    const [, previous] = /startxref\n(\d+)/.exec(whole) ?? [];
    const update = `xref\n${number} 1\n0000000000 00001 f \ntrailer\n<</Size 20/Root 1 0 R/Prev ${previous}>>\n`;
    return Buffer.from(`${whole}${update}startxref\n${whole.length}\n%%EOF\n`, "latin1");
  };
  const refusal = (bytes: Uint8Array) =>
    engine.admit(bytes).then(
      () => null,
      (error) => error.reason,
    );

  test.each([
    ["the content of a page", 5, {}],
    ["a font", 3, {}],
    [
      "an annotation",
      next,
      { ...onPage(`/Annots[${next} 0 R]`), objects: ["<</Type/Annot/Subtype/Square/Rect[0 0 9 9]>>"] },
    ],
    [
      "what an annotation's appearance draws",
      next + 1,
      {
        ...onPage(`/Annots[<</Subtype/Square/Rect[0 0 9 9]/AP<</N ${next} 0 R>>>>]`),
        objects: [form(`/Resources<</XObject<</A ${next + 1} 0 R>>>>`), form()],
      },
    ],
    [
      "a part of an annotation's border",
      next + 1,
      {
        ...onPage(`/Annots[<</Subtype/Link/Rect[0 0 9 9]/Border ${next} 0 R>>]`),
        objects: [`[0 0 ${next + 1} 0 R]`, "1"],
      },
    ],
  ])("is refused when it is drawn, since readers differ on it: %s", async (_, number, options) => {
    expect(await refusal(pdf(options))).toBe(null);
    expect(await refusal(withDeleted(number, options))).toBe("broken");
  });

  test("is taken when it is not drawn", async () => {
    expect(await refusal(withDeleted(next, { objects: [form()] }))).toBe(null);
    const popup = onPage(`/Annots[<</Subtype/Text/Rect[0 0 9 9]/Popup ${next} 0 R>>]`);
    expect(await refusal(withDeleted(next, { ...popup, objects: ["<</Subtype/Popup/Rect[0 0 9 9]>>"] }))).toBe(null);
  });

  test("is taken where it never stood", async () => {
    expect(await refusal(pdf(onPage("/Annots[77 0 R]")))).toBe(null);
  });
});
