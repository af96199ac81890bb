import { deflateNatively, FontSubsets } from "@rubrica/pdf-drawing/text";
import { PDFDocument, PDFName, type PDFRef, PDFString } from "pdf-lib";
import { encode } from "uqr";
import type { Attachment, Content, Image, Tone } from "./blocks.ts";
import { LEADING, type Line, LineBreaker, type Piece, type Style, setRuns } from "./lines.ts";
import { BODY_WIDTH, PAGE, type Page, type PlacedRow } from "./pages.ts";
import { type Item, stacked } from "./rows.ts";

const colors: Record<Tone, string> = {
  ink: "0.11 0.13 0.17",
  muted: "0.36 0.40 0.47",
  accent: "0.10 0.22 0.45",
  good: "0.06 0.38 0.24",
  bad: "0.66 0.11 0.11",
};
const fills: Record<"pale" | Tone, string> = {
  pale: "0.955 0.962 0.975",
  ink: "0.93 0.93 0.93",
  muted: "0.93 0.93 0.93",
  accent: "0.93 0.95 0.985",
  good: "0.925 0.965 0.942",
  bad: "0.985 0.933 0.930",
};
const HAIR = "0.86 0.88 0.91";
/** Between a picture and its frame. */
const INSET = 3;
/** Baseline of a line, as a share of its height from the top. */
const BASELINE = 0.755;
/** Six capital letters before the names of subset fonts (ISO 32000-2, 9.9.2). */
const SUBSET_TAG = "RUBRPT";
const footerStyle: Style = { face: "regular", size: 7.5, tone: "muted" };

const noticeStyle: Style = { face: "bold", size: 9, tone: "bad" };
/** Above the body's top. */
const NOTICE_TOP = -26;

const n = (value: number): string => String(Math.round(value * 100) / 100);

/** Draws pages into a new PDF and gives its bytes. The same content makes the same bytes. */
export const paint = async (content: Content, pages: readonly Page[]): Promise<Uint8Array> => {
  const pdf = await PDFDocument.create({ updateMetadata: false });
  const painter = new Painter(pdf);
  for (const [index, page] of pages.entries()) await painter.page(page, content, index + 1, pages.length);
  await painter.finish();
  for (const attachment of content.attachments) await attach(pdf, attachment, content);
  describe(pdf, content);
  // Nothing else runs in this process meanwhile: there is nobody to yield to.
  return pdf.save({ useObjectStreams: false, addDefaultPage: false, objectsPerTick: Number.POSITIVE_INFINITY });
};

const attach = (pdf: PDFDocument, { name, bytes, mediaType, description }: Attachment, { createdAt }: Content) => {
  const made = new Date(createdAt);
  const dates = { creationDate: made, modificationDate: made };
  return pdf.attach(bytes, name, { mimeType: mediaType, description, ...dates });
};

const describe = (pdf: PDFDocument, { title, subject, language, createdAt }: Content): void => {
  pdf.setTitle(title, { showInWindowTitleBar: true });
  pdf.setSubject(subject);
  pdf.setLanguage(language);
  pdf.setProducer("Rubrica");
  pdf.setCreator("Rubrica");
  pdf.setCreationDate(new Date(createdAt));
  pdf.setModificationDate(new Date(createdAt));
};

class Painter {
  readonly #pdf: PDFDocument;
  readonly #fonts = new FontSubsets(SUBSET_TAG);
  readonly #breaker = new LineBreaker();
  readonly #images = new Map<Image, { name: string; ref: PDFRef }>();
  /** Filled in when all text is known. */
  readonly #resources: PDFRef;
  #operators: string[] = [];
  #links: PDFRef[] = [];

  constructor(pdf: PDFDocument) {
    this.#pdf = pdf;
    deflateNatively(pdf.context);
    this.#resources = pdf.context.nextRef();
  }

  async page(rows: Page, content: Content, number: number, of: number): Promise<void> {
    this.#operators = [];
    this.#links = [];
    for (const placed of rows) await this.#row(placed);
    await this.#footer(content, number, of);
    if (content.notice !== null) await this.#notice(content.notice);
    const { context } = this.#pdf;
    const page = this.#pdf.addPage([PAGE.width, PAGE.height]);
    page.node.set(PDFName.of("Resources"), this.#resources);
    page.node.set(PDFName.of("Contents"), context.register(context.flateStream(this.#operators.join("\n"))));
    if (this.#links.length > 0) page.node.set(PDFName.of("Annots"), context.obj(this.#links));
  }

  /** Embeds the fonts, as subsets of what all pages show, and the images. */
  async finish(): Promise<void> {
    const { context } = this.#pdf;
    const fonts = await this.#fonts.embed(context);
    const images = Object.fromEntries([...this.#images.values()].map(({ name, ref }) => [name, ref]));
    context.assign(this.#resources, context.obj({ Font: Object.fromEntries(fonts), XObject: images }));
  }

  async #row({ row, top, height }: PlacedRow): Promise<void> {
    if (row.fill !== "none") {
      this.#rectangle(0, top, BODY_WIDTH, height, fills[row.fill]);
      if (row.fill !== "pale") this.#rectangle(0, top, 3, height, colors[row.fill]);
    }
    for (const cell of row.cells) {
      for (const { item, top: within } of stacked(cell)) {
        await this.#item(item, cell.x, top + row.padding + within, cell.width);
      }
    }
    if (row.rule === "hair") this.#rectangle(0, top + height, BODY_WIDTH, 0.4, HAIR);
    if (row.rule === "strong") this.#rectangle(0, top + height + 1, BODY_WIDTH, 0.8, colors.accent);
  }

  async #item(item: Item, x: number, top: number, width: number): Promise<void> {
    switch (item.kind) {
      case "lines": {
        let y = top;
        for (const line of item.lines) {
          const slack = width - line.width;
          const indent = item.align === "right" ? slack : item.align === "center" ? slack / 2 : 0;
          await this.#line(line, x + indent, y);
          y += line.size * LEADING;
        }
        return;
      }
      case "picture":
        return this.#picture(item, x, top);
      case "frame":
        this.#frame(x, top, item.width, item.height);
        return this.#line(
          item.line,
          x + (item.width - item.line.width) / 2,
          top + item.height / 2 - item.line.size * 0.7,
        );
      case "qr":
        return this.#qr(item.url, x, top, item.size);
      case "gap":
        return;
      default:
        return item satisfies never;
    }
  }

  async #line({ pieces, size }: Line, x: number, top: number): Promise<void> {
    const baseline = this.#y(top + size * LEADING * BASELINE);
    for (const piece of pieces) await this.#piece(piece, PAGE.left + x + piece.x, baseline);
  }

  async #piece({ text, face, size, tone, link, width }: Piece, x: number, baseline: number): Promise<void> {
    const shown = await this.#fonts.show(setRuns(text, face), size);
    this.#operators.push(`BT ${colors[tone]} rg 1 0 0 1 ${n(x)} ${n(baseline)} Tm ${shown} ET`);
    if (link !== null) this.#link(link, x, baseline - size * 0.25, width, size * 1.2);
  }

  #link(url: string, x: number, y: number, width: number, height: number): void {
    const { context } = this.#pdf;
    const annotation = context.obj({
      Type: "Annot",
      Subtype: "Link",
      Rect: [x, y, x + width, y + height],
      Border: [0, 0, 0],
      // Print (ISO 32000-2, table 167).
      F: 4,
      A: { Type: "Action", S: "URI", URI: PDFString.of(url) },
    });
    this.#links.push(context.register(annotation));
  }

  /** A picture as large as fits into its frame. */
  #picture({ image, width, height }: Extract<Item, { kind: "picture" }>, x: number, top: number): void {
    const scale = Math.min((width - 2 * INSET) / image.width, (height - 2 * INSET) / image.height);
    const [shownWidth, shownHeight] = [image.width * scale, image.height * scale];
    const left = PAGE.left + x + (width - shownWidth) / 2;
    const bottom = this.#y(top + (height + shownHeight) / 2);
    this.#frame(x, top, width, height);
    const { name } = this.#image(image);
    this.#operators.push(`q ${n(shownWidth)} 0 0 ${n(shownHeight)} ${n(left)} ${n(bottom)} cm /${name} Do Q`);
  }

  #image(image: Image): { name: string; ref: PDFRef } {
    const known = this.#images.get(image);
    if (known) return known;
    const { context } = this.#pdf;
    const stream = context.stream(image.jpeg, {
      Type: "XObject",
      Subtype: "Image",
      Width: image.width,
      Height: image.height,
      ColorSpace: "DeviceRGB",
      BitsPerComponent: 8,
      Filter: "DCTDecode",
    });
    const embedded = { name: `picture${this.#images.size + 1}`, ref: context.register(stream) };
    this.#images.set(image, embedded);
    return embedded;
  }

  #qr(url: string, x: number, top: number, size: number): void {
    const { data, size: modules } = encode(url, { ecc: "M", border: 0 });
    const module = size / modules;
    this.#operators.push(`q ${colors.ink} rg`);
    data.forEach((line, row) => {
      for (let column = 0; column < modules; column += 1) {
        if (!line[column]) continue;
        let length = 1;
        while (column + length < modules && line[column + length]) length += 1;
        const [left, y] = [PAGE.left + x + column * module, this.#y(top + (row + 1) * module)];
        this.#operators.push(
          `${left.toFixed(3)} ${y.toFixed(3)} ${(length * module).toFixed(3)} ${module.toFixed(3)} re`,
        );
        column += length;
      }
    });
    this.#operators.push("f Q");
    this.#link(url, PAGE.left + x, this.#y(top + size), size, size);
  }

  #rectangle(x: number, top: number, width: number, height: number, color: string): void {
    const [left, bottom] = [PAGE.left + x, this.#y(top + height)];
    this.#operators.push(`q ${color} rg ${n(left)} ${n(bottom)} ${n(width)} ${n(height)} re f Q`);
  }

  #frame(x: number, top: number, width: number, height: number): void {
    const [left, bottom] = [PAGE.left + x, this.#y(top + height)];
    this.#operators.push(`q ${HAIR} RG 0.5 w ${n(left)} ${n(bottom)} ${n(width)} ${n(height)} re S Q`);
  }

  async #footer({ footer }: Content, number: number, of: number): Promise<void> {
    const top = PAGE.height - PAGE.top - PAGE.bottom + 20;
    this.#rectangle(0, top, BODY_WIDTH, 0.4, HAIR);
    const page = footer.page.replace("{page}", String(number)).replace("{pages}", String(of));
    const [left] = this.#breaker.lines(footer.left, BODY_WIDTH, footerStyle);
    const [right] = this.#breaker.lines(page, BODY_WIDTH, footerStyle);
    if (left) await this.#line(left, 0, top + 5);
    if (right) await this.#line(right, BODY_WIDTH - right.width, top + 5);
  }

  /** In the margin above the body, in the middle. */
  async #notice(notice: string): Promise<void> {
    const [line] = this.#breaker.lines(notice, BODY_WIDTH, noticeStyle);
    if (line) await this.#line(line, (BODY_WIDTH - line.width) / 2, NOTICE_TOP);
  }

  /** From a distance below the body's top to PDF's coordinates, which grow upwards. */
  #y(top: number): number {
    return PAGE.height - PAGE.top - top;
  }
}
