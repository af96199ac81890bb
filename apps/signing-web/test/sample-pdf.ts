import { PDFDocument, rgb, StandardFonts } from "pdf-lib";

const clauses = [
  "PRIMERA. La LOCADORA da en locación a la LOCATARIA el inmueble sito en calle Arenales 1450, piso 3, de la Ciudad de Buenos Aires, que se destina exclusivamente a vivienda.",
  "SEGUNDA. El plazo es de treinta y seis meses, contados desde el primer día del mes próximo, sin necesidad de aviso alguno a su vencimiento.",
  "TERCERA. El precio mensual se abona por adelantado, del uno al cinco de cada mes, por transferencia a la cuenta que la LOCADORA indica.",
  "CUARTA. La LOCATARIA recibe el inmueble en perfecto estado de uso y conservación y se obliga a restituirlo en igual estado, salvo el desgaste natural.",
  "QUINTA. Queda prohibido ceder el contrato, subarrendar o cambiar el destino del inmueble sin conformidad escrita de la LOCADORA.",
];

/** A contract of `pageCount` pages (A4) with words, a heading and a seal to look at. */
export const samplePdf = async (pageCount = 3): Promise<Buffer> => {
  const pdf = await PDFDocument.create();
  const body = await pdf.embedFont(StandardFonts.TimesRoman);
  const bold = await pdf.embedFont(StandardFonts.TimesRomanBold);
  for (let number = 1; number <= pageCount; number += 1) {
    const page = pdf.addPage([595.28, 841.89]);
    page.drawText("CONTRATO DE LOCACIÓN DE VIVIENDA", { x: 110, y: 760, size: 18, font: bold });
    clauses.forEach((clause, index) => {
      page.drawText(clause, { x: 70, y: 700 - index * 110, size: 12, font: body, maxWidth: 455, lineHeight: 18 });
    });
    page.drawCircle({ x: 470, y: 130, size: 42, borderColor: rgb(0.12, 0.25, 0.68), borderWidth: 2 });
    page.drawText(`Hoja ${number}`, { x: 452, y: 126, size: 12, font: body });
  }
  return Buffer.from(await pdf.save());
};
