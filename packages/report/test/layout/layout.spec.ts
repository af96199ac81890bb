import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Block } from "../../src/layout/blocks.ts";
import { LineBreaker } from "../../src/layout/lines.ts";
import { BODY_WIDTH, PAGE, paginate } from "../../src/layout/pages.ts";
import { render } from "../../src/layout/render.ts";
import { type Row, row } from "../../src/layout/rows.ts";
import { shape } from "../../src/layout/shape.ts";
import { linesOf, textOf, toolsAreMissing } from "../tools.ts";

const missing = toolsAreMissing();

const style = { face: "regular", size: 9, tone: "ink" } as const;
const BODY_HEIGHT = PAGE.height - PAGE.top - PAGE.bottom;

describe("lines", () => {
  test("are never wider than they may be, and lose nothing", () => {
    const text = fc.string({ unit: fc.constantFrom(..."abc Ωж李ñ\t/-\n"), maxLength: 300 });
    fc.assert(
      fc.property(text, fc.integer({ min: 15, max: 400 }), (words, width) => {
        const lines = new LineBreaker().lines(words, width, style);
        for (const line of lines) expect(line.width).toBeLessThanOrEqual(width + 0.001);
        const kept = lines.flatMap(({ pieces }) => pieces.map((piece) => piece.text)).join("");
        expect(kept.replace(/\s/g, "")).toBe(words.replace(/\s/g, ""));
      }),
    );
  });

  test("break a hash anywhere, and words at spaces", () => {
    const breaker = new LineBreaker();
    const textsOf = (text: string, width: number) =>
      breaker.lines(text, width, style).map(({ pieces }) => pieces.map((piece) => piece.text).join(""));
    expect(textsOf("uno dos tres", 40)).toEqual(["uno dos", "tres"]);
    expect(textsOf("0".repeat(12), 26).join("|")).toMatch(/^0{5}\|0{5}\|00$/);
  });
});

const gap = (height: number, options: Partial<Row> = {}): Row =>
  row([{ x: 0, width: BODY_WIDTH, items: [{ kind: "gap", height }] }], options);

describe("pages", () => {
  test("hold every row once, in order, none beyond the end", () => {
    const rows = fc.array(
      fc.record({
        height: fc.integer({ min: 1, max: Math.floor(BODY_HEIGHT) }),
        before: fc.integer({ min: 0, max: 20 }),
        keepWithNext: fc.boolean(),
      }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(rows, (given) => {
        const made = given.map(({ height, ...options }) => gap(height, options));
        const pages = paginate(made);
        expect(pages.flatMap((page) => page.map((placed) => placed.row))).toEqual(made);
        for (const page of pages) {
          for (const { top, height } of page) expect(top + height).toBeLessThanOrEqual(BODY_HEIGHT);
        }
      }),
    );
  });

  test("have a heading, what introduces a table and the table's first row together", () => {
    const table = { kind: "table", columns: [{ title: "N.º" }], rows: Array(20).fill([["uno"]]) } as const;
    const together: Block[] = [
      { kind: "section", title: "Registro" },
      { kind: "paragraph", text: "Todo lo registrado." },
      table,
    ];
    for (let before = 0; before < BODY_HEIGHT; before += 5) {
      const rows = shape(together);
      const pages = paginate([gap(before), ...rows]);
      const pageOf = (one: Row | undefined) => pages.findIndex((page) => page.some((placed) => placed.row === one));
      expect(new Set(rows.slice(0, 4).map(pageOf)).size, `after ${before} points`).toBe(1);
    }
  });

  test("repeat the header of a table that goes on", () => {
    const header = gap(20, { keepWithNext: true });
    const pages = paginate([header, ...Array.from({ length: 30 }, () => gap(60, { header }))]);
    expect(pages.length).toBeGreaterThan(2);
    for (const page of pages) expect(page[0]?.row).toBe(header);
  });

  test("keep a title with what it is the title of", () => {
    const title = gap(20, { keepWithNext: true });
    const pages = paginate([gap(BODY_HEIGHT - 50), title, gap(60)]);
    expect(pages.map((page) => page.length)).toEqual([1, 2]);
  });
});

describe.skipIf(missing)("a report", () => {
  const contentOf = (...texts: string[]) => ({
    language: "es",
    title: "t",
    subject: "s",
    createdAt: 0,
    footer: { left: "x", page: "{page} de {pages}" },
    notice: null,
    blocks: texts.map((text) => ({ kind: "paragraph", text }) as const),
    attachments: [{ name: "a.txt", bytes: Buffer.from("a"), mediaType: "text/plain", description: "d" }],
  });

  test("is the same bytes for the same content", async () => {
    const content = contentOf("Łukasz 李", "محمد علي");
    const [one, other] = [await render(content), await render(content)];
    expect(Buffer.from(one).equals(Buffer.from(other))).toBe(true);
    expect(textOf(await render(contentOf("Łukasz 李")))).toContain("Łukasz 李 x 1 de 1");
  });

  test("has names in scripts whose letters join, stack or run from right to left", async () => {
    const names = ["محمد علي الحسيني", "דוד בן־גוריון", "กิ่งแก้ว น้ำทิพย์", "प्रियंका श्रीवास्तव", "ኃይለ ሥላሴ"];
    const lines = linesOf(await render(contentOf(...names, "Firmado por محمد علي (Ali)")));
    // pdftotext surrounds what runs from right to left with marks that say so.
    const written = lines.map((line) => line.replace(/[\u202A-\u202E]/gu, "").trim());
    expect(written).toEqual(expect.arrayContaining(names));
    expect(written.some((line) => line.includes("محمد علي"))).toBe(true);
  });
});
