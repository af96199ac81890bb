import { docxOf, paragraph, textOfPdf } from "@rubrica/test-kit/docx";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ConversionFailed, type DocxConverter } from "../../src/index.ts";

/** What every engine promises. @param startMs how long its first process may take on a busy machine. */
export const converterContract = (engine: string, open: () => Promise<DocxConverter>): void => {
  describe(`DOCX converter: ${engine}`, () => {
    let converter: DocxConverter;
    beforeAll(async () => {
      converter = await open();
      await converter.convert(docxOf(paragraph("warm")), "account:a");
    });
    afterAll(() => converter.close());

    test("a document becomes a PDF with its text", async ({ skip }) => {
      const pdf = await converter.convert(docxOf(paragraph("Señor Łukasz Żółć firma el contrato")), "account:a");
      expect(Buffer.from(pdf).subarray(0, 5).toString()).toBe("%PDF-");
      const text = textOfPdf(pdf);
      if (text === undefined) skip("pdftotext is not installed");
      expect(text).toContain("Señor Łukasz Żółć firma el contrato");
    });

    test("documents asked for at once come back each as its own", async ({ skip }) => {
      const names = Array.from({ length: 6 }, (_, number) => `signatario${number}`);
      const pdfs = await Promise.all(names.map((name) => converter.convert(docxOf(paragraph(name)), "account:a")));
      const texts = pdfs.map(textOfPdf);
      if (texts.includes(undefined)) skip("pdftotext is not installed");
      expect(texts.map((text) => text?.trim())).toEqual(names);
    });

    test("a long document keeps all its pages", async ({ skip }) => {
      const lines = Array.from({ length: 300 }, (_, number) => `línea ${number}`);
      const text = textOfPdf(
        await converter.convert(docxOf(lines.map((line) => paragraph(line)).join("")), "account:a"),
      );
      if (text === undefined) return skip("pdftotext is not installed");
      expect(text.split("\f").length).toBeGreaterThan(5);
      expect(text).toContain("línea 299");
    });

    test("what is no document is unreadable, and the next one is converted", async () => {
      const failure = await converter
        .convert(Buffer.from("not a document"), "account:a")
        .catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(ConversionFailed);
      expect(failure).toMatchObject({ reason: "unreadable" });
      expect((await converter.convert(docxOf(paragraph("next")), "account:a")).length).toBeGreaterThan(900);
    });
  });
};
