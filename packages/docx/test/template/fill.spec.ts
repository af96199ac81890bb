import { createHelperBudget } from "@rubrica/helpers";
import { systemClock } from "@rubrica/runtime";
import { docxOf, docxParts, paragraph, relationship, textOf, zipOf } from "@rubrica/test-kit/docx";
import fc from "fast-check";
import PizZip from "pizzip";
import { afterAll, describe, expect, test } from "vitest";
import { openDocxTemplates, type Variables } from "../../src/index.ts";

const templates = openDocxTemplates({
  clock: systemClock,
  budget: createHelperBudget({ clock: systemClock, totalMb: 600 }),
});
afterAll(() => templates.close());

const filled = async (text: string, variables: Variables) =>
  textOf((await templates.fill(docxOf(paragraph(text)), variables, "account:a")).docx);

describe("the five replacement rules", () => {
  test("a variable between braces gets its row's value, as often as it stands there", async () => {
    expect(await filled("Yo, {nombre y apellido}, DNI {dni}: {dni}.", { "nombre y apellido": "Ana", dni: "1" })).toBe(
      "Yo, Ana, DNI 1: 1.",
    );
  });

  test("names match exactly: case, accents and inner blanks count", async () => {
    const variables = { monto: "1", año: "2", "fecha de pago": "3" };
    expect(await filled("{Monto} {MONTO} {ano} {fecha  de pago}", variables)).toBe(
      "{Monto} {MONTO} {ano} {fecha  de pago}",
    );
    expect(await filled("{monto} {año} {fecha de pago} { monto }", variables)).toBe("1 2 3 1");
  });

  test("an accent written as a letter of its own is the same accent", async () => {
    expect(await filled("{an\u0303o}", { año: "1" })).toBe("1");
    expect(await filled("{año}", { "an\u0303o": "1" })).toBe("1");
  });

  test("a variable that Word split over runs is found", async () => {
    const docx = docxOf(paragraph("Yo, {nom", "bre y ape", "llido", "} firmo"));
    expect(textOf((await templates.fill(docx, { "nombre y apellido": "Ana" }, "account:a")).docx)).toBe(
      "Yo, Ana firmo",
    );
  });

  test("one without a value stays as it stands", async () => {
    expect(await filled("{desconocido} { con blancos } {x}", { x: "1" })).toBe("{desconocido} { con blancos } 1");
  });

  test("no number of variables is too many", async () => {
    const names = Array.from({ length: 2_000 }, (_, number) => `variable ${number}`);
    const text = await filled(
      names.map((name) => `{${name}}`).join(","),
      Object.fromEntries(names.map((name) => [name, name.toUpperCase()])),
    );
    expect(text).toBe(names.map((name) => name.toUpperCase()).join(","));
  });
});

describe("what a template engine would take for its own", () => {
  test.each([
    "{#lista}uno{/lista}",
    "{^lista}uno{/lista}",
    "{#lista}",
    "{/lista}",
    "{/}",
    "{@crudo}",
    "{=<% %>=}",
    "{{x}",
    "{",
    "}",
    "}{",
    "{}",
    "{ }",
    "a { b",
    "a } b",
    "{a{b}",
    "{constructor} {__proto__} {toString} {hasOwnProperty}",
    "{.} {this} {a.b} {a|b} {a + b} {a[0]}",
    "{%image} {&x} {!comentario} {>parcial} {$x} {?x} {:x} {-w:p x}",
    "日本語 {変数} {ñandú}",
  ])("%s stays plain text", async (text) => {
    expect(await filled(text, { otra: "x" })).toBe(text.trim());
  });

  test("such a tag is a variable like any other when the row has that name", async () => {
    expect(await filled("{#lista} {@crudo} {a.b} {__proto__}", { "#lista": "1", "@crudo": "2", "a.b": "3" })).toBe(
      "1 2 3 {__proto__}",
    );
  });

  test("variables beside it are replaced all the same", async () => {
    expect(await filled("{#si}{x}{/si} {", { x: "1", si: true })).toBe("{#si}1{/si} {");
  });
});

describe("values", () => {
  test("are text, never markup and never a template", async () => {
    const value = `<w:p/> & "x" 'y' {otra} \${z} $& \\`;
    expect(await filled("{x}|{otra}", { x: value, otra: "1" })).toBe(`${value}|1`);
  });

  test("may be numbers, booleans, null or empty", async () => {
    expect(await filled("{a}|{b}|{c}|{d}|{e}", { a: 0, b: 1.5, c: false, d: null, e: "" })).toBe("0|1.5|false||");
  });

  test("break lines where they have line breaks", async () => {
    expect(await filled("{x}", { x: "uno\ndos\r\ntres\rcuatro" })).toBe("uno\ndos\ntres\ncuatro");
  });

  test("lose the characters that XML cannot hold", async () => {
    expect(await filled("{x}", { x: "a\u0000b\u000bc\ufffed\ud800e😀" })).toBe("abcd\ufffde😀");
  });

  test("whatever they are, they come out as they went in", async () => {
    const value = fc.string({ unit: "grapheme", maxLength: 40 }).filter((text) => !/[\p{Cc}\ufffe\uffff]/u.test(text));
    await fc.assert(
      fc.asyncProperty(value, async (x) => {
        expect(await filled("[{x}]", { x })).toBe(`[${x}]`);
      }),
      { numRuns: 50 },
    );
  });
});

describe("the document around", () => {
  test("headers, footers, footnotes and endnotes are filled too", async () => {
    const notes = { header: "h {x}", footer: "f {x}", footnotes: "n {x}", endnotes: "e {x}" };
    const { docx } = await templates.fill(docxOf(paragraph("{x}"), { notes }), { x: "1" }, "account:a");
    expect(Object.keys(notes).map((kind) => textOf(docx, `word/${kind}.xml`))).toEqual(["h 1", "f 1", "n 1", "e 1"]);
  });

  test("a document in UTF-16, as some programs write it, is filled", async () => {
    const parts = docxParts(paragraph("Señor {x}"));
    const utf16 = String(parts["word/document.xml"]).replace("UTF-8", "UTF-16");
    const docx = zipOf({ ...parts, "word/document.xml": Buffer.from(`\ufeff${utf16}`, "utf16le") });
    expect(textOf((await templates.fill(docx, { x: "Núñez" }, "account:a")).docx)).toBe("Señor Núñez");
  });

  test("links that a reader clicks stay, and the template it was made from goes", async () => {
    const relationships =
      relationship("rId8", "attachedTemplate", "file:///etc/passwd", "External") +
      relationship("rId9", "hyperlink", "https://example.com/", "External") +
      relationship("rId10", "hyperlink", "file:///etc/passwd", "External");
    const { docx } = await templates.fill(docxOf(paragraph("x"), { relationships }), {}, "account:a");
    const rels = new PizZip(docx).file("word/_rels/document.xml.rels")?.asText();
    expect(rels).not.toContain("passwd");
    expect(rels).toContain('Target="https://example.com/"');
  });
});

describe("bounds", () => {
  test("a template that grows without measure is refused, and the next one is filled", async () => {
    const docx = docxOf(paragraph("{x}".repeat(20_000)));
    await expect(templates.fill(docx, { x: "y".repeat(20_000) }, "account:a")).rejects.toMatchObject({
      reason: "too_large",
    });
    expect(await filled("{x}", { x: "1" })).toBe("1");
  });

  test("documents asked for at once are answered each with its own", async () => {
    const names = Array.from({ length: 20 }, (_, number) => `signer ${number}`);
    expect(await Promise.all(names.map((x) => filled("{x}", { x })))).toEqual(names);
  });

  test("after closing nothing is filled", async () => {
    const closed = openDocxTemplates({
      clock: systemClock,
      budget: createHelperBudget({ clock: systemClock, totalMb: 600 }),
    });
    await closed.close();
    await expect(closed.fill(docxOf(paragraph("x")), {}, "account:a")).rejects.toThrow("closed");
  });
});
