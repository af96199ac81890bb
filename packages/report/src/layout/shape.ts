import type { Block, Column, Field, Text } from "./blocks.ts";
import { type Line, LineBreaker, type Style } from "./lines.ts";
import { BODY_WIDTH } from "./pages.ts";
import { type Cell, type Item, type Row, row } from "./rows.ts";

const body: Style = { face: "regular", size: 9, tone: "ink" };
const label: Style = { face: "regular", size: 8.5, tone: "muted" };
const columnTitle: Style = { face: "bold", size: 7.8, tone: "muted" };
const QR_SIZE = 84;
const LABEL_WIDTH = 128;
const CELL_GAP = 8;
const PICTURES_IN_ROW = 4;
const PICTURE_HEIGHT = 96;
const SMALL_TABLE_ROWS = 4;

/** Gives blocks their shape: rows that pages are made of. */
export const shape = (blocks: readonly Block[]): Row[] => {
  const shaper = new Shaper();
  return blocks.flatMap((block, index) => shaper.rows(block, blocks[index + 1]));
};

class Shaper {
  readonly #breaker = new LineBreaker();

  rows(block: Block, next: Block | undefined): Row[] {
    switch (block.kind) {
      case "opening":
        return this.#opening(block);
      case "banner":
        return this.#banner(block);
      case "section":
        return [this.#section(block.title)];
      case "subsection":
        return [this.#subsection(block)];
      case "label":
        return [
          this.#fullWidth(block.title, { ...columnTitle, tone: "ink", size: 8.5 }, { before: 9, keepWithNext: true }),
        ];
      case "paragraph":
        return [this.#paragraph(block, next?.kind === "table" || next?.kind === "paragraph")];
      case "fields":
        return block.fields.map((field, index) => this.#field(field, index < 3 && index < block.fields.length - 1));
      case "table":
        return this.#table(block.columns, block.rows);
      case "pictures":
        return this.#pictures(block.pictures);
      case "steps":
        return this.#steps(block.steps);
      default:
        return block satisfies never;
    }
  }

  #text(text: Text, width: number, style: Style, align: "left" | "center" | "right" = "left"): Item {
    return { kind: "lines", lines: this.#breaker.lines(text, width, style), align };
  }

  #line(text: Text, width: number, style: Style): Line {
    const [line] = this.#breaker.lines(text, width, style);
    if (!line) throw new Error("a text has a line");
    return line;
  }

  /** Paragraphs whose first line stands at the height of their style, so that cells side by side share a baseline. */
  #aligned(texts: readonly Text[], width: number, style: Style): Item[] {
    return texts.map((text, index): Item => {
      const lines = this.#breaker.lines(text, width, style);
      const first = lines[0];
      if (index === 0 && first) first.size = Math.max(first.size, style.size);
      return { kind: "lines", lines, align: "left" };
    });
  }

  #fullWidth(text: Text, style: Style, options: Partial<Row>): Row {
    return row([{ x: 0, width: BODY_WIDTH, items: [this.#text(text, BODY_WIDTH, style)] }], options);
  }

  #paragraph({ text, tone = "ink" }: Extract<Block, { kind: "paragraph" }>, keepWithNext: boolean): Row {
    return this.#fullWidth(text, { ...body, tone }, { before: 2, after: 5, keepWithNext });
  }

  #opening({ title, lines, qr }: Extract<Block, { kind: "opening" }>): Row[] {
    const width = BODY_WIDTH - QR_SIZE - 24;
    const items: Item[] = [
      { kind: "gap", height: 2 },
      this.#text(title, width, { face: "bold", size: 21, tone: "accent" }),
      { kind: "gap", height: 6 },
      ...lines.map((line) => this.#text(line, width, body)),
    ];
    const code: Item[] = [
      { kind: "qr", url: qr.url, size: QR_SIZE },
      { kind: "gap", height: 4 },
      this.#text(qr.caption, QR_SIZE, { ...label, size: 7 }, "center"),
    ];
    return [
      row(
        [
          { x: 0, width, items },
          { x: BODY_WIDTH - QR_SIZE, width: QR_SIZE, items: code },
        ],
        { after: 4 },
      ),
    ];
  }

  #banner({ tone, title, sentence }: Extract<Block, { kind: "banner" }>): Row[] {
    const width = BODY_WIDTH - 24;
    const items = [
      this.#text(title, width, { face: "bold", size: 11.5, tone }),
      this.#text(sentence, width, { ...body, size: 9.2 }),
    ];
    return [row([{ x: 14, width, items }], { padding: 9, fill: tone, before: 8, after: 2 })];
  }

  #section(title: string): Row {
    const style: Style = { face: "bold", size: 12.5, tone: "accent" };
    return this.#fullWidth(title, style, { before: 17, after: 4, rule: "strong", keepWithNext: true });
  }

  #subsection({ title, note, topic }: Extract<Block, { kind: "subsection" }>): Row {
    const noteWidth = 170;
    const width = BODY_WIDTH - noteWidth - CELL_GAP - 16;
    const size = topic ? 9 : 10.5;
    return row(
      [
        { x: 8, width, items: [this.#text(title, width, { face: "bold", size, tone: "ink" })] },
        {
          x: BODY_WIDTH - noteWidth - 8,
          width: noteWidth,
          items: [{ kind: "gap", height: topic ? 0.4 : 1 }, this.#text(note, noteWidth, label, "right")],
        },
      ],
      { before: 11, after: 2, padding: topic ? 3 : 4, fill: "pale", keepWithNext: true },
    );
  }

  #field({ label: name, value }: Field, keepWithNext: boolean): Row {
    const x = LABEL_WIDTH + CELL_GAP;
    const width = BODY_WIDTH - x;
    return row(
      [
        { x: 0, width: LABEL_WIDTH, items: [this.#text(name, LABEL_WIDTH, label)] },
        { x, width, items: this.#aligned(value, width, body) },
      ],
      { padding: 2.6, rule: "hair", keepWithNext },
    );
  }

  #table(columns: readonly Column[], rows: readonly (readonly (readonly Text[])[])[]): Row[] {
    const places = placesOf(columns);
    const cell = (index: number, items: (width: number) => Item[]): Cell => {
      const { x, width } = places[index] ?? { x: 0, width: BODY_WIDTH };
      return { x, width, items: items(width) };
    };
    const header = row(
      columns.map(({ title }, index) => cell(index, (width) => [this.#text(title, width, columnTitle)])),
      { before: 4, padding: 3, rule: "strong", keepWithNext: true },
    );
    const shaped = rows.map((texts, place) =>
      row(
        texts.map((paragraphs, index) =>
          cell(index, (width) => this.#aligned(paragraphs, width, { ...body, size: 8.5 })),
        ),
        { padding: 3, rule: "hair", header, keepWithNext: staysWithNext(place, rows.length) },
      ),
    );
    return [header, ...shaped];
  }

  #pictures(pictures: Extract<Block, { kind: "pictures" }>["pictures"]): Row[] {
    const gap = 10;
    const width = (BODY_WIDTH - gap * (PICTURES_IN_ROW - 1)) / PICTURES_IN_ROW;
    const rows: Row[] = [];
    for (let start = 0; start < pictures.length; start += PICTURES_IN_ROW) {
      const cells = pictures.slice(start, start + PICTURES_IN_ROW).map(({ image, missing, caption }, index): Cell => {
        const shown: Item = image
          ? { kind: "picture", image, width, height: PICTURE_HEIGHT }
          : { kind: "frame", width, height: PICTURE_HEIGHT, line: this.#line(missing, width - 8, label) };
        const words = caption.map((text) => this.#text(text, width, body));
        return { x: index * (width + gap), width, items: [shown, { kind: "gap", height: 3 }, ...words] };
      });
      rows.push(row(cells, { before: 8, after: 4 }));
    }
    return rows;
  }

  #steps(steps: Extract<Block, { kind: "steps" }>["steps"]): Row[] {
    const x = 18;
    const width = BODY_WIDTH - x;
    return steps.flatMap(({ text, commands }, index): Row[] => {
      const number = this.#text(`${index + 1}.`, x, { ...body, face: "bold", tone: "accent" });
      const said = row(
        [
          { x: 0, width: x, items: [number] },
          { x, width, items: [this.#text(text, width, body)] },
        ],
        { before: 5, keepWithNext: commands.length > 0 },
      );
      if (commands.length === 0) return [said];
      const inner = width - 16;
      const lines = commands.map((command) =>
        this.#text([{ text: command, face: "monospaced", size: 8 }], inner, body),
      );
      return [said, row([{ x: x + 8, width: inner, items: lines }], { before: 3, padding: 4, fill: "pale" })];
    });
  }
}

/** Small tables are not parted, and of large ones no page has a single row. */
const staysWithNext = (place: number, of: number): boolean =>
  place < of - 1 && (of <= SMALL_TABLE_ROWS || place === 0 || place === of - 2);

const placesOf = (columns: readonly Column[]): { x: number; width: number }[] => {
  const gaps = CELL_GAP * (columns.length - 1);
  const given = columns.reduce((sum, { width }) => sum + (width ?? 0), 0);
  const rest = (BODY_WIDTH - given - gaps) / Math.max(1, columns.filter(({ width }) => width === undefined).length);
  let x = 0;
  return columns.map(({ width = rest }) => {
    const place = { x, width };
    x += width + CELL_GAP;
    return place;
  });
};
