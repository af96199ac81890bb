import { type DocxConverter, openDocxTemplates } from "@rubrica/docx";
import { openedAccount } from "@rubrica/domain";
import { demoAccountId } from "@rubrica/events";
import { createHelperBudget } from "@rubrica/helpers";
import type { Docx } from "@rubrica/hosting/shared/docx";
import { systemClock } from "@rubrica/runtime";
import { type Answer, eventually, outputOf, type RubricaClient } from "@rubrica/test-kit";
import { docxOf, paragraph, textOf } from "@rubrica/test-kit/docx";
import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { inspect } from "./inspection.ts";

export interface BulkEntry {
  link: string;
  name: string;
  dni: string;
  contact: string;
  method: string;
  id_custom: string | number;
}

const PAGE_BREAK = '<w:p><w:r><w:br w:type="page"/></w:r></w:p>';

/** A contract of two pages, with as much text on them as contracts have. */
export const contract = docxOf(
  [
    paragraph("Contract of {nombre y ", "apellido}"),
    ...Array.from({ length: 20 }, (_, index) =>
      paragraph(`${index + 1}. ${"The parties agree to what follows. ".repeat(3)}`),
    ),
    PAGE_BREAK,
    paragraph("Signed by {dni} for {Cuota}"),
    paragraph("{notas}"),
    paragraph("{no_such_variable}"),
  ].join(""),
);

/** A row unlike any other number's. */
export const rowOf = (number: number, fields: Record<string, unknown> = {}) => ({
  id: number,
  "nombre y apellido": `Signer Number ${number}`,
  dni: String(30_000_000 + number),
  msg: `54911${40_000_000 + number}`,
  Cuota: `USD ${number}.50`,
  notas: "",
  ...fields,
});

export const callOf = (df: readonly object[], fields: object = {}) => ({
  document_type: "docx",
  document: contract.toString("base64"),
  firmante: { page: 0, position_x: 60, position_y: 650 },
  df,
  ...fields,
});

export const sendBulk = (client: RubricaClient, call: object, headers?: Record<string, string>): Promise<Answer> =>
  client.send("POST", "/api/sendCargaMasiva", call, headers);

/** The PDF behind a link as soon as it is prepared, with its signer's link still open. */
export const preparedPdf = (client: RubricaClient, { link }: BulkEntry): Promise<Buffer> =>
  eventually("the prepared PDF", async () => {
    const { status, bytes } = await client.read(`/api/signing/${new URL(link).pathname.slice(3)}/document`);
    return status === 200 && bytes;
  });

/** The text of a PDF file, page by page. */
export const pagesOf = (path: string): string[] =>
  outputOf("pdftotext", "-layout", path, "-").text.split("\f").slice(0, -1);

/** The demo account's credits, as the stores have them. */
export const creditsIn = async (dataDir: string): Promise<number> => {
  await using stores = await inspect(dataDir);
  return openedAccount(await stores.engines.handlers.accounts.load(demoAccountId)).balance;
};

/** Makes PDFs of two pages at once, with the filled text on the first. */
export const fakeDocx = (convert?: (text: string) => Promise<void>): Docx => {
  const templates = openDocxTemplates({
    clock: systemClock,
    budget: createHelperBudget({ clock: systemClock, totalMb: 600 }),
  });
  const converter: DocxConverter = {
    engine: "native",
    async convert(docx) {
      const text = textOf(docx);
      await convert?.(text);
      const lines = text.split("\n").map((line) => `(${line.replaceAll(/[()\\]/g, " ")}) Tj T*`);
      return pdf({ pages: [{ content: `BT /F1 8 Tf 10 TL 20 800 Td ${lines.join(" ")} ET` }, {}] });
    },
    close: async () => undefined,
  };
  return { templates, converter, missing: undefined, close: () => templates.close() };
};
