// Makes sample-contract.pdf, which the demo signs: node packages/pdf/samples/make-sample.ts
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import * as fontkit from "@cantoo/fontkit";
import { PDFDocument, type PDFFont, type PDFPage, rgb } from "pdf-lib";

const A4: [number, number] = [595, 842];
const MARGIN = 64;
const WIDTH = A4[0] - 2 * MARGIN;
const ink = rgb(0.13, 0.14, 0.17);
const accent = rgb(0.12, 0.25, 0.5);
const faint = rgb(0.72, 0.75, 0.8);

const require = createRequire(import.meta.url);
const fontFile = (path: string) => readFileSync(require.resolve(`@expo-google-fonts/noto-sans/${path}`));

const clauses: [heading: string, text: string][] = [
  [
    "1. Services",
    "The Provider shall design, install and maintain the lighting of the Client's showroom at 1240 Harbour Road as set out in the plan of 3 November 2026, which both parties have received. Work begins on the first working day after this contract is signed and is to be finished within sixty days.",
  ],
  [
    "2. Price and payment",
    "The Client shall pay a fixed price of USD 18,400, taxes included: one third when the contract is signed, one third when the fittings are delivered, and the rest when the work has been accepted in writing. Invoices fall due fifteen days after they are received.",
  ],
  [
    "3. Changes",
    "Either party may ask for changes to the plan. A change binds when both have agreed in writing on its effect on price and time; an exchange of e-mails is enough. Until then the work goes on as agreed.",
  ],
  [
    "4. Acceptance",
    "When the work is finished the parties inspect it together and list what is still to be mended. The Provider mends what was listed within ten working days, at no further cost. If the Client uses the showroom for thirty days without giving notice of faults, the work counts as accepted.",
  ],
  [
    "5. Warranty",
    "The Provider warrants fittings and workmanship for two years from acceptance. A fault that shows in that time is mended or replaced at the Provider's choice within ten working days of the Client's notice.",
  ],
  [
    "6. Confidentiality",
    "Each party keeps secret what it learns of the other's business and uses it for this contract only. This lasts for three years after the contract has ended. What is public, or has to be disclosed by law, is not secret.",
  ],
  [
    "7. Liability",
    "Each party answers for damage that it causes by intent or gross negligence without limit, and for other damage up to the price of clause 2. Neither is liable for delay that it could not foresee and could not avoid, as long as it tells the other without delay.",
  ],
  [
    "8. Ending the contract",
    "If a party breaks the contract and does not set it right within fifteen days of written notice, the other may end it at once. Work done and accepted until then is paid for.",
  ],
  [
    "9. Electronic signature",
    "The parties agree to sign this contract electronically. Each receives a copy that is sealed against later changes, and the record of how it was signed; both have the force of a signed original.",
  ],
  [
    "10. Law and venue",
    "This contract is governed by the law of the place where the work is done. Disputes that the parties cannot settle between them within thirty days go to its courts.",
  ],
];

interface Fonts {
  regular: PDFFont;
  bold: PDFFont;
}

const wrap = (text: string, font: PDFFont, size: number): string[] => {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    const longer = line === undefined ? word : `${line} ${word}`;
    if (line !== undefined && font.widthOfTextAtSize(longer, size) <= WIDTH) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
};

const header = (page: PDFPage, { regular, bold }: Fonts, number: number): void => {
  page.drawRectangle({ x: 0, y: A4[1] - 10, width: A4[0], height: 10, color: accent });
  page.drawText("HARBOUR & LIGHT", { x: MARGIN, y: A4[1] - 46, size: 9, font: bold, color: accent });
  const reference = "Contract 2026-118";
  const width = regular.widthOfTextAtSize(reference, 9);
  page.drawText(reference, { x: A4[0] - MARGIN - width, y: A4[1] - 46, size: 9, font: regular, color: ink });
  page.drawLine({
    start: { x: MARGIN, y: A4[1] - 56 },
    end: { x: A4[0] - MARGIN, y: A4[1] - 56 },
    thickness: 0.5,
    color: faint,
  });
  page.drawText(`Page ${number} of 2`, { x: A4[0] - MARGIN - 46, y: 20, size: 8, font: regular, color: ink });
};

const write = (pages: readonly PDFPage[], fonts: Fonts): void => {
  const [first] = pages;
  first?.drawText("Service contract", { x: MARGIN, y: 742, size: 24, font: fonts.bold, color: accent });
  const parties =
    "between Marina Showrooms Ltd., 1240 Harbour Road (the Client), and Harbour & Light Studio, 8 Quay Street (the Provider), made on the day on which the last of them signs it.";
  let y = 714;
  let page = 0;
  const line = (text: string, font: PDFFont, size: number, leading: number) => {
    if (y < 64) {
      page += 1;
      y = A4[1] - 84;
    }
    pages[page]?.drawText(text, { x: MARGIN, y, size, font, color: ink });
    y -= leading;
  };
  for (const text of wrap(parties, fonts.regular, 10.5)) line(text, fonts.regular, 10.5, 16);
  for (const [heading, text] of clauses) {
    y -= 14;
    if (y < 110) y = 0;
    line(heading, fonts.bold, 11.5, 18);
    for (const part of wrap(text, fonts.regular, 10.5)) line(part, fonts.regular, 10.5, 16);
  }
  y -= 22;
  line("Signatures", fonts.bold, 11.5, 18);
  line("The parties sign below, each on its own behalf.", fonts.regular, 10.5, 16);
};

const document = await PDFDocument.create({ updateMetadata: false });
document.registerFontkit(fontkit);
document.setTitle("Service contract 2026-118");
document.setLanguage("en");
const fonts: Fonts = {
  regular: await document.embedFont(fontFile("400Regular/NotoSans_400Regular.ttf"), { subset: true }),
  bold: await document.embedFont(fontFile("600SemiBold/NotoSans_600SemiBold.ttf"), { subset: true }),
};
const pages = [document.addPage(A4), document.addPage(A4)];
for (const [index, page] of pages.entries()) header(page, fonts, index + 1);
write(pages, fonts);
writeFileSync(join(import.meta.dirname, "sample-contract.pdf"), await document.save());
