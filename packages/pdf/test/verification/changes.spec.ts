import { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { recovered } from "@rubrica/pdf-reading/recovery";
import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { bodyOf, streamOf, updated } from "@rubrica/test-kit/pdf/update";
import { describe, expect, test } from "vitest";
import { laterChanges } from "../../src/verification/later-changes.ts";

const [catalog, added] = [1, 900];

/** What a file is found to be changed by when its security store gets a stream with some data. */
const changedBy = (data: string, file: Uint8Array = pdf()) => {
  const changed = updated(file, {
    [catalog]: bodyOf(file, catalog).replace(/>>\s*$/, `/DSS<</Certs[${added} 0 R]>>>>`),
    [added]: streamOf(data),
  });
  return laterChanges(PdfFile.open(changed), [file.length]).get(file.length);
};

describe("validation data", () => {
  test.each([
    "5 0 obj",
    "5 000000 obj",
    "5 0000000000000000000000000000000000000000000 obj",
    "000000000000000000005 0 obj",
    `5 0${" ".repeat(1_000)}obj`,
    `5${"\n".repeat(1_000)}0\r\nobj`,
    "5\u00000\u0000obj",
    "5\f0\tobj",
    "5 0obj",
    "5 0 object",
    "5 0 obj<</Length 0>>",
    "+5 0 obj",
    "5 -0 obj",
    "5 0.0 obj",
    "5 0 % a comment\nobj",
    "5 0 % one\n% and another\robj",
    "5 % a comment\n0 obj",
    "5 9 obj",
    "900 1 obj",
    "0 1 2 3 4 5 0 obj",
  ])("with %j in it, which a reader may take for an object, is another content", (spelled) => {
    for (const data of [spelled, `\u0082\u0003 \n${spelled}\nendobj`]) expect(changedBy(data)).toBe("other");
  });

  test.each(["", "obj", "endobj", "an object", "1 object", "the 1 object", "/obj", "(5) 0 obj", "a5 obj", "5 0 Obj"])(
    "with %j in it is validation data",
    (data) => expect(changedBy(data)).toBe("signing"),
  );

  test("of an object that the cross-reference has under another generation is another content", () => {
    const text = Buffer.from(pdf()).toString("latin1");
    const file = Buffer.from(
      text.replace("\n5 0 obj", "\n5 1 obj").replace("/Contents 5 0 R", "/Contents 5 1 R"),
      "latin1",
    );
    expect(changedBy("")).toBe("signing");
    expect(changedBy(`5 000000 obj\n${streamOf("another text")}\nendobj`, file)).toBe("other");
  });
});

test.each(["0", "99999999", "5"])("an update that points at no cross-reference (%s) is another content", (offset) => {
  const file = pdf();
  const changed = Buffer.concat([file, Buffer.from(`\nstartxref\n${offset}\n%%EOF\n`)]);
  expect(laterChanges(recovered(changed), [file.length]).get(file.length)).toBe("other");
});

test.each([
  ["/A 1", "signing"],
  ["/A 5 5", "other"],
  ["/Root#00 6 0 R", "other"],
])("an update whose trailer has %s is %s", (entries, kind) => {
  const file = pdf();
  const changed = Buffer.from(updated(file, {})).toString("latin1");
  const at = changed.lastIndexOf("/Root 1 0 R") + "/Root 1 0 R".length;
  const given = Buffer.from(changed.slice(0, at) + entries + changed.slice(at), "latin1");
  expect(laterChanges(PdfFile.open(given), [file.length]).get(file.length)).toBe(kind);
});

describe("a page that says the same in another way", () => {
  const page = 4;
  const changedTo = (change: (body: string) => string) => {
    const file = pdf();
    const body = bodyOf(file, page);
    expect(body).toContain("/Contents 5 0 R");
    const changed = updated(file, { [page]: change(body) });
    return laterChanges(PdfFile.open(changed), [file.length]).get(file.length);
  };

  test("that all readers understand is no other content", () => {
    expect(changedTo((body) => body.replace("/Contents 5 0 R", "/Contents\n5  0 R"))).toBe("signing");
  });

  test.each([
    ["a reference that goes on", (body: string) => body.replace("/Contents 5 0 R", "/Contents 5 0 Rx")],
    [
      "a reference that begins with zeros",
      (body: string) => body.replace("/Contents 5 0 R", `/Contents ${"0".repeat(30)}5 0 R`),
    ],
    ["a value without a key", (body: string) => body.replace(/>>\s*$/, " (a)>>")],
    ["a key without a value", (body: string) => body.replace(/>>\s*$/, "/A>>")],
    ["a word after it", (body: string) => `${body} 5`],
  ])("but in %s, which some readers take for something else, is another content", (_name, change) => {
    expect(changedTo(change)).toBe("other");
  });
});

describe("a field that was there, and has no appearance of its own", () => {
  const [field, signature, value, part] = [6, 900, 901, 902];
  const fonts = "/DR<</Font<</Helv<</Type/Font/Subtype/Type1/BaseFont/Symbol>>>>>>";
  const style = "/DA(/Helv 60 Tf 0 g)";
  const text = `<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/V(1)${style}/Rect[20 20 99 99]>>`;
  const shaped = text.replace(">>", "/AP<</N 7 0 R>>>>");
  const box = text.replace("/FT/Tx", "/FT/Btn").replace("/V(1)", "/AS/Off/AP<</N<</On 7 0 R>>>>");
  const signed = "/V 901 0 R/Rect[0 0 0 0]";
  const fileOf = (form: string, annotation: string) =>
    pdf({
      pages: [{ entries: `/MediaBox[0 0 200 200]/Annots[${field} 0 R]` }],
      catalog: form,
      objects: [annotation, streamOf("", "/Type/XObject/Subtype/Form/BBox[0 0 9 9]")],
    });
  const changedBySigning = (file: Uint8Array, entries: string, own: string) => {
    const former = bodyOf(file, 1).includes("AcroForm") ? `${field} 0 R` : "";
    const changed = updated(file, {
      1: `<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[${former} ${signature} 0 R]${entries}>>>>`,
      [signature]: `<</Type/Annot/Subtype/Widget/FT/Sig${own}>>`,
      [part]: `<</T(a)${own.includes("/Kids") ? `/Parent ${signature} 0 R` : ""}/Rect[0 0 0 0]>>`,
      [value]: "<</Type/Sig/SubFilter/ETSI.CAdES.detached/ByteRange[0 1 2 3]/Contents<00>>>",
    });
    return laterChanges(PdfFile.open(changed), [file.length]).get(file.length);
  };
  const form = `/AcroForm<</Fields[${field} 0 R]>>`;

  test.each<[string, string, string, string, string]>([
    ["a form's fonts", form, text, fonts, `/T(s)${signed}`],
    ["how a form's text looks", form, text, style, `/T(s)${signed}`],
    ["a form with fonts where there was none", "", text, fonts, `/T(s)${signed}`],
    ["fonts for a note", "", text.replace("/Widget/FT/Tx", "/FreeText/Contents(1)"), fonts, `/T(s)${signed}`],
    ["fonts for a box that is checked", form, box.replace("/Off", "/Yes"), fonts, `/T(s)${signed}`],
    ["a field for a signature of which it is a part", "", text, "", `/T(s)/V 901 0 R/Kids[${field} 0 R]`],
    ["a field for a signature of the same name", form, text, "", `/T(a)${signed}`],
    ["one whose name goes on with an empty part", form, text, "", `/T(a..b)${signed}`],
    ["one of the name of its parent, its own being empty", form, text, "", `/T()/Parent ${part} 0 R${signed}`],
    ["one whose name is none for most readers", form, text, "", `/T/a${signed}`],
    ["one with a part of the same name", form, text, "", `/V 901 0 R/Kids[${part} 0 R]`],
    ["one of another name, where its own is no text", form, text.replace("(a)", "/b"), "", `/T(b)${signed}`],
    ["one of the name that it begins with", form, text.replace("(a)", "(a..b)"), "", `/T(a)${signed}`],
    ["a form's fonts, its kind being a text", form, text.replace("/Tx", "(Tx)"), fonts, `/T(s)${signed}`],
  ])("is drawn otherwise by %s", (_name, given, annotation, entries, own) => {
    expect(changedBySigning(fileOf(given, annotation), entries, own)).toBe("other");
  });

  test("is drawn otherwise by a form's fonts, whatever its appearance, where it is to be drawn anew", () => {
    const asked = form.replace("<<", "<</NeedAppearances true");
    const later = `/NeedAppearances true${fonts}`;
    expect(changedBySigning(fileOf(asked, shaped), later, `/T(s)${signed}`)).toBe("other");
  });

  test.each<[string, string, string, string, string]>([
    ["fonts, of fields that have an appearance", form, shaped, `${fonts}${style}`, `/T(s)${signed}`],
    ["fonts, of a field that holds nothing", form, text.replace("/V(1)", ""), fonts, `/T(s)${signed}`],
    ["fonts, of a box that is not checked", form, box, fonts, `/T(s)${signed}`],
    ["fonts, of a link", "", text.replace("/Widget/FT/Tx", "/Link"), fonts, `/T(s)${signed}`],
    ["a field for a signature, with a part of its own", form, text, "", `/T(s)/V 901 0 R/Kids[${part} 0 R]`],
    ["a field for a signature, of another name", form, text, "", `/T(b.a)${signed}`],
    ["a field for a signature, without a name", form, text.replace("/T(a)", ""), "", signed],
  ])("is not by %s", (_name, given, annotation, entries, own) => {
    expect(changedBySigning(fileOf(given, annotation), entries, own)).toBe("signing");
  });
});

describe("a new field for a signature", () => {
  const signing = (entries: string) => {
    const file = pdf();
    const changed = updated(file, {
      1: "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[900 0 R]>>>>",
      4: bodyOf(file, 4).replace("<<", "<</Annots[900 0 R]"),
      900: `<</FT/Sig/T(s)/Rect[20 20 99 99]/C[1 0 0]${entries}>>`,
    });
    return laterChanges(PdfFile.open(changed), [file.length]).get(file.length);
  };

  test.each([
    ["/Subtype/Widget", "signing"],
    ["/Type/Annot/Subtype/Widget", "signing"],
    ["/Subtype/Square", "other"],
    ["/Subtype(Square)", "other"],
    ["/Type(Annot)/Subtype/Widget", "other"],
    ["/Subtype/Widget/Kids[901 0 R]", "other"],
  ])("with %s is %s", (entries, kind) => {
    expect(signing(entries)).toBe(kind);
  });
});

test.each([
  ["/W[1 4 2]", "signing"],
  ["/W[1 4 2 1]", "other"],
])("a cross-reference stream with %s, which some readers may pass over, is of content that is %s", (widths, found) => {
  const file = pdf({ crossReference: "stream" });
  const objects = { [catalog]: bodyOf(file, catalog).replace(/>>\s*$/, "/DSS<<>>>>") };
  const update = Buffer.from(updated(file, objects, { crossReference: "stream" }))
    .toString("latin1")
    .slice(file.length);
  const changed = Buffer.concat([file, Buffer.from(update.replace("/W[1 4 2]", widths), "latin1")]);
  expect(laterChanges(PdfFile.open(changed), [file.length]).get(file.length)).toBe(found);
});

describe("what a file says of itself", () => {
  const file = pdf({ objects: ["<</Title<FEFF00410031>/Author(A)>>"], trailer: "/Info 6 0 R" });
  const by = (information: string) => {
    const changed = updated(file, { 6: information }, { trailer: "/Info 6 0 R" });
    return laterChanges(PdfFile.open(changed), [file.length]).get(file.length);
  };

  test("may be written in another encoding", () => {
    expect(by("<</Title(A\\061)/Author<41>/ModDate(D:2026)/Producer(x)>>")).toBe("signing");
  });

  test.each([
    ["other words", "<</Title(A2)/Author(A)>>"],
    ["words less", "<</Title(A1)>>"],
    ["words more", "<</Title(A1)/Author(A)/Subject(A)>>"],
    ["a name", "<</Title/A1/Author(A)>>"],
  ])("is another content with %s", (_name, information) => {
    expect(by(information)).toBe("other");
  });
});
