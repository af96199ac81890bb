import { PDFDocument, type PDFPage, rgb, StandardFonts } from "pdf-lib";
import { runtime } from "./measure.ts";

/** What a document takes, about: a contract with a picture or two. */
const SIZE_BYTES = 100_000;
const KINDS = 50;
const MAX_PAGES = 30;
/** Base64 makes four characters of so many bytes. */
const BASE64_BYTES = 3;

/** Documents of many kinds, no two the same. */
export interface Documents {
  /** Another file at each call, as Base64. */
  next(): string;
}

const linesOf = (page: PDFPage, kind: number, number: number): void => {
  const { height } = page.getSize();
  const lines = 6 + ((kind * 5 + number * 3) % 40);
  for (let line = 0; line < lines; line += 1) {
    const text = `${number}.${line + 1} The parties of contract ${kind} agree upon clause ${line * 7 + number}.`;
    page.drawText(text, { x: 50, y: height - 60 - line * 16, size: 10 });
  }
};

/** One to thirty pages of text, some on coloured ground, some with a box where stamps go first; half with object streams. */
const documentOf = async (kind: number): Promise<Uint8Array> => {
  const pdf = await PDFDocument.create();
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  const pages = 1 + ((kind * 7) % MAX_PAGES);
  for (let number = 1; number <= pages; number += 1) {
    const page = pdf.addPage(kind % 9 === 8 ? [842, 595] : [595, 842]);
    page.setFont(font);
    if (kind % 5 === 4) page.drawRectangle({ x: 0, y: 0, width: 842, height: 842, color: rgb(0.96, 0.95, 0.9) });
    if (kind % 4 === 3) page.drawRectangle({ x: 28, y: 28, width: 240, height: 90, borderWidth: 1 });
    linesOf(page, kind, number);
  }
  const options = { useObjectStreams: kind % 2 === 0 };
  const bare = (await pdf.save(options)).length;
  await pdf.attach(runtime.random.bytes(Math.max(1, SIZE_BYTES - bare)), "appendix.bin");
  return pdf.save(options);
};

/** Makes fifty documents; what is posted of them differs in a comment at its end, so that nothing is known by its hash. */
export const manyDocuments = async (): Promise<Documents> => {
  const bodies: string[] = [];
  for (let kind = 0; kind < KINDS; kind += 1) {
    const bytes = Buffer.from(await documentOf(kind));
    const padded = Buffer.concat([bytes, Buffer.alloc(BASE64_BYTES - (bytes.length % BASE64_BYTES), "\n")]);
    bodies.push(padded.toString("base64"));
  }
  let given = 0;
  return {
    next() {
      const body = bodies[given % bodies.length] ?? "";
      return body + Buffer.from(`%${given++}\n`).toString("base64");
    },
  };
};
