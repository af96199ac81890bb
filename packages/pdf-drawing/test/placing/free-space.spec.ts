import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createHelperBudget } from "@rubrica/helpers";
import {
  type AdmittedAndPlaced,
  type AskedPlace,
  createPdfEngine,
  loadOrCreateSigningIdentity,
  PDF_TASK_LIMITS,
  type PdfEngine,
  type Placement,
  type Sealing,
} from "@rubrica/pdf";
import { runPdfTask } from "@rubrica/pdf/tasks";
import { systemClock, systemRandom } from "@rubrica/runtime";
import { ManualClock } from "@rubrica/runtime/testing";
import { temporaryFolder } from "@rubrica/test-kit";
import { type FixturePage, pdf, stampOf, textAt } from "@rubrica/test-kit/pdf/fixtures";
import {
  corpusFolder,
  difference,
  has,
  output,
  type RenderedPage,
  rendered,
  temporaryFile,
} from "@rubrica/test-kit/pdf/tools";
import { PDFDocument } from "pdf-lib";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { inspect } from "../../src/inspect.ts";
import { DrawingTime } from "../../src/placing/drawing-time.ts";
import { RenderedFreeSpace } from "../../src/placing/free-space.ts";
import { Renderer } from "../../src/placing/pdfium.ts";

const STAMP = { width: 168, height: 72 };
const corpus = corpusFolder();
const nobody = (count: number): AskedPlace[] => Array(count).fill({});
const wanted = (places: readonly AskedPlace[], everyPage = false) => ({ places, everyPage, title: "Lease 7" });

/** Lines of text from the top of an A4 page down to a height above its bottom. */
const linesTo = (lowest: number): FixturePage => ({
  content: Array.from({ length: Math.floor((830 - lowest) / 14) }, (_, line) =>
    textAt(20, 820 - 14 * line, `${line}. ${"whereas the parties agree ".repeat(4)}`),
  ).join("\n"),
});
const full = linesTo(4);
/** White, with words at the bottom, where stamps go first. */
const wordsBelow: FixturePage = {
  content: Array.from({ length: 14 }, (_, line) => textAt(20, 10 + 14 * line, "x ".repeat(150))).join("\n"),
};

/** How many dots of a page are not white where a stamp is to go, by another renderer. */
const inkUnder = async (bytes: Uint8Array, { pages, x, y }: Placement, pageCount: number): Promise<number> => {
  const { width, grey } = await rendered(bytes, pages === "last" ? pageCount : Number(pages));
  let ink = 0;
  for (let row = y; row < y + STAMP.height; row += 1) {
    for (let column = x; column < x + STAMP.width; column += 1) if ((grey[row * width + column] ?? 255) < 245) ink += 1;
  }
  return ink;
};
const pageOf = ({ placements }: AdmittedAndPlaced, index: number) => placements[index]?.pages;

describe.skipIf(!has("pdftoppm") || !has("pdftotext") || !has("qpdf"))("places for signatures", () => {
  let engine: PdfEngine;
  let sealing: Sealing;
  beforeAll(async () => {
    engine = createPdfEngine({ clock: systemClock, processes: 1 });
    using folder = temporaryFolder();
    const identity = await loadOrCreateSigningIdentity(folder.path, "http://localhost", systemClock, systemRandom);
    sealing = { identity, sealedAt: systemClock.now() };
  });
  afterAll(() => engine.close());

  test("are where the last page bears nothing, as it is rendered", async () => {
    const bytes = pdf({ pages: [full, wordsBelow] });
    const placed = await engine.admitAndPlace(bytes, wanted(nobody(3)));
    expect(placed).toMatchObject({ bytes: null, inspection: { pageCount: 2 } });
    for (const placement of placed.placements) {
      expect(placement.pages).toBe("last");
      expect(await inkUnder(bytes, placement, 2)).toBe(0);
    }
  });

  test("are on the page before where the last one is full", async () => {
    const bytes = pdf({ pages: [full, {}, full] });
    expect((await engine.admitAndPlace(bytes, wanted(nobody(1)))).placements).toEqual([{ pages: 2, x: 28, y: 742 }]);
  });

  test("keep clear of words that are not seen, and of fields", async () => {
    const hidden = textAt(40, 60, "searchable").replace("BT", "BT 3 Tr");
    const field = "<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/Rect[380 30 560 90]/F 4>>";
    const pages = [{ content: hidden, entries: "/MediaBox[0 0 595 842]/Annots[6 0 R]" }];
    const bytes = pdf({ pages, objects: [field], catalog: "/AcroForm<</Fields[6 0 R]>>" });
    expect((await engine.admitAndPlace(bytes, wanted(nobody(1)))).placements).toEqual([
      { pages: "last", x: 202, y: 742 },
    ]);
  });

  test("are on dark ground where it is even", async () => {
    const dark: FixturePage = { content: "0.1 0.1 0.3 rg 0 0 595 842 re f" };
    const { placements } = await engine.admitAndPlace(pdf({ pages: [dark] }), wanted(nobody(1)));
    expect(placements).toEqual([{ pages: "last", x: 28, y: 742 }]);
  });

  test("are on a page at the end where none has room, which says what it belongs to", async () => {
    const bytes = pdf({ pages: [full, { ...full, entries: "/MediaBox[0 0 595 842]/Rotate 90" }] });
    const placed = await engine.admitAndPlace(bytes, wanted(nobody(2)));
    expect(placed.inspection.pageCount).toBe(3);
    expect(placed.inspection.pages[2]).toEqual({ width: 842, height: 595 });
    expect(placed.placements.map(({ pages }) => pages)).toEqual(["last", "last"]);
    expect(
      Buffer.from(placed.bytes ?? [])
        .subarray(0, bytes.length)
        .equals(bytes),
    ).toBe(true);
    const file = temporaryFile(placed.bytes ?? bytes);
    const text = output("pdftotext", "-f", "3", file, "-");
    for (const words of ["Página de firmas\n", "Lease 7", "2 páginas", "sin esta página:"])
      expect(text).toContain(words);
    expect(text).toMatch(/[0-9a-f]{64}/);
    expect(output("qpdf", "--check", file)).toContain("No syntax");
    for (const placement of placed.placements) expect(await inkUnder(placed.bytes ?? bytes, placement, 3)).toBe(0);
    const stamps = placed.placements.map((placement) => stampOf({ placement }));
    const sealed = await engine.stampAndSeal(placed.bytes ?? bytes, stamps, sealing);
    expect(await engine.verify(sealed.bytes, sealing.identity.issuers)).toMatchObject({ untouched: true });
    expect((await PDFDocument.load(sealed.bytes)).getPageCount()).toBe(3);
  });

  test("are as many as there are signers, and none over another", async () => {
    const placed = await engine.admitAndPlace(pdf(), wanted(nobody(70)));
    expect(placed.inspection.pageCount).toBe(3);
    expect(pageOf(placed, 0)).toBe(1);
    expect(pageOf(placed, 69)).toBe("last");
    expect(new Set(placed.placements.map((placement) => JSON.stringify(placement))).size).toBe(70);
    const pages = new Set(placed.placements.map(({ pages: on }) => on));
    expect(pages).toEqual(new Set([1, 2, "last"]));
    for (const number of [1, 2]) {
      const page = String(number + 1);
      const text = output("pdftotext", "-f", page, "-l", page, temporaryFile(placed.bytes ?? pdf()), "-");
      expect(text).toContain(`Página de firmas ${number} de 2\n`);
      expect(text).toContain("SHA-256 del documento sin las páginas de firmas:");
    }
  });

  test("that were given stay, on the page that was the last as well", async () => {
    const given: Placement = { pages: "last", x: 60, y: 60 };
    const placed = await engine.admitAndPlace(
      pdf({ pages: [full, full] }),
      wanted([{ x: given.x, y: given.y }, {}, { page: 1 }]),
    );
    expect(placed.placements[0]).toEqual({ ...given, pages: 2 });
    expect(placed.placements[1]?.pages).toBe("last");
    expect(placed.placements[2]?.pages).toBe(1);
  });

  test("on a page that was named are on another when it is full of signatures", async () => {
    const placed = await engine.admitAndPlace(pdf({ pages: [{}, {}] }), wanted(Array(31).fill({ page: 1 })));
    expect(placed.placements.slice(0, 30).map(({ pages }) => pages)).toEqual(Array(30).fill(1));
    expect(placed.placements[30]?.pages).toBe("last");
  });

  test("on a signed document that is full cover least of it, and no page is added", async () => {
    const almost = linesTo(40);
    const signed = (await engine.seal(pdf({ pages: [almost] }), sealing)).bytes;
    const placed = await engine.admitAndPlace(signed, wanted(nobody(1)));
    expect(placed).toMatchObject({ bytes: null, inspection: { pageCount: 1 } });
    const [placement] = placed.placements;
    expect(placement?.y).toBeGreaterThan(740);
    expect(await engine.admitAndPlace(signed, wanted(nobody(40)))).toMatchObject({
      bytes: null,
      placements: { length: 40 },
    });
  });

  test("on every page are where all of them bear nothing", async () => {
    const bytes = pdf({ pages: [wordsBelow, {}, wordsBelow] });
    const { placements } = await engine.admitAndPlace(bytes, wanted(nobody(1), true));
    expect(placements[0]?.pages).toBe("all");
    expect(await inkUnder(bytes, { ...(placements[0] as Placement), pages: 3 }, 3)).toBe(0);
  });

  test("are on pages of their own where nobody knows what a page bears", async () => {
    const asked = wanted(nobody(1));
    const outcome = await runPdfTask({ kind: "admitAndPlace", bytes: pdf(), asked, renders: false });
    const placed = (outcome.kind === "done" ? outcome.result : undefined) as AdmittedAndPlaced;
    expect(placed.inspection.pageCount).toBe(2);
    expect(pageOf(placed, 0)).toBe("last");
  });
});

test("a page that takes much memory to draw is not looked at, and no helper ends of it", async () => {
  const ends: string[] = [];
  const onEnded = (_pool: string, end: string) => void ends.push(end);
  const budget = createHelperBudget({ clock: systemClock, totalMb: 2 * PDF_TASK_LIMITS.memoryMb, onEnded });
  // Time is no matter here, and beside other work there may be little of it.
  const limits = { ...PDF_TASK_LIMITS, cpuMs: 60_000 };
  const engine = createPdfEngine({ clock: systemClock, processes: 1, budget, limits });
  const heavy: FixturePage = { content: "0 0 m 1 1 l S ".repeat(1_600_000) };
  try {
    const pageCounts: number[] = [];
    for (const page of [{}, heavy, {}]) {
      const { inspection } = await engine.admitAndPlace(pdf({ pages: [page] }), wanted(nobody(1)));
      pageCounts.push(inspection.pageCount);
    }
    // A page is added where nothing is known of the others.
    expect(pageCounts).toEqual([1, 2, 1]);
    expect(ends).toEqual(["done", "done", "done"]);
  } finally {
    await engine.close();
  }
});

describe("a look at pages that is over since others had the processor", () => {
  /** So many looks have no time; gives how many pages a document with room has then, and how many looks there were. */
  const placedAfter = async (withoutTime: number) => {
    const looks = vi.spyOn(RenderedFreeSpace, "of");
    const leftMs = vi.spyOn(DrawingTime.prototype, "leftMs");
    leftMs.mockImplementation(() => (looks.mock.calls.length > withoutTime ? 60_000 : 0));
    try {
      const outcome = await runPdfTask({
        kind: "admitAndPlace",
        bytes: pdf(),
        asked: wanted(nobody(1)),
        renders: true,
      });
      const { inspection } = (outcome.kind === "done" ? outcome.result : undefined) as AdmittedAndPlaced;
      return { pages: inspection.pageCount, looks: looks.mock.calls.length };
    } finally {
      looks.mockRestore();
      leftMs.mockRestore();
    }
  };

  test("is taken once more", async () => {
    expect(await placedAfter(0)).toEqual({ pages: 1, looks: 1 });
    expect(await placedAfter(2)).toEqual({ pages: 1, looks: 3 });
  });

  test("is taken three times at most", async () => {
    expect(await placedAfter(9)).toEqual({ pages: 2, looks: 3 });
  });

  test("is taken once where the document used that time", async () => {
    const used = vi.spyOn(process, "threadCpuUsage").mockReturnValue({ user: 400_000, system: 0 });
    try {
      expect(await placedAfter(9)).toEqual({ pages: 2, looks: 1 });
    } finally {
      used.mockRestore();
    }
  });
});

describe.skipIf(!has("pdftoppm"))("a stamp's ground", () => {
  let engine: PdfEngine;
  beforeAll(() => {
    engine = createPdfEngine({ clock: systemClock, processes: 1 });
  });
  afterAll(() => engine.close());

  const greyAt = ({ width, grey }: RenderedPage, x: number, y: number): number => grey[y * width + x] ?? 0;

  test("is light enough for its words on black, and lets the words below be read", async () => {
    const black: FixturePage = { content: "0 g 0 0 595 842 re f" };
    const onBlack = await rendered(await engine.stamp(pdf({ pages: [black] }), [stampOf()]), 1);
    // Below the last line of its details, right of it.
    expect(greyAt(onBlack, 260, 168)).toBeGreaterThan(140);
    const bar: FixturePage = { content: "0 g 240 660 30 8 re f" };
    const onWords = await rendered(await engine.stamp(pdf({ pages: [bar] }), [stampOf()]), 1);
    expect(greyAt(onWords, 255, 178)).toBeLessThan(10);
    const under: FixturePage = { content: "0 g 255 671 10 3 re f" };
    const below = await rendered(await engine.stamp(pdf({ pages: [under] }), [stampOf()]), 1);
    expect(greyAt(below, 260, 169)).toBeLessThan(175);
    expect(greyAt(below, 250, 169)).toBeGreaterThan(250);
  });

  test.skipIf(corpus === null)("is seen above an opaque note of a real file", async () => {
    const bytes = readFileSync(join(corpus ?? "", "telling/red_stamp.pdf"));
    const before = await rendered(bytes, 1);
    const stamped = await engine.stamp(bytes, [stampOf({ placement: { pages: 1, x: 10, y: 30 } })]);
    const box = difference(before, await rendered(stamped, 1));
    expect(box).toMatchObject({ left: expect.any(Number) });
    expect((box?.right ?? 0) - (box?.left ?? 0)).toBeGreaterThan(150);
    expect((box?.bottom ?? 0) - (box?.top ?? 0)).toBeGreaterThan(65);
  });
});

test("a page is drawn only where its objects stand too near to tell", async () => {
  const bytes = pdf({ pages: [{ content: textAt(20, 800, "At the top of the page alone.") }] });
  const drawn = vi.spyOn(Renderer.prototype, "seen");
  // However long others have the processor meanwhile.
  const time = new DrawingTime({ processorMs: 60_000, elapsedMs: 60_000 }, new ManualClock());
  const freeSpace = await RenderedFreeSpace.of(bytes, await inspect(bytes), time);
  try {
    expect(freeSpace.isKnown(1)).toBe(true);
    expect(freeSpace.marksWithin(1, { x: 28, y: 742, ...STAMP })).toBe(0);
    expect(drawn).not.toHaveBeenCalled();
    expect(freeSpace.marksWithin(1, { x: 28, y: 30, ...STAMP })).toBeGreaterThan(0);
    expect(drawn).toHaveBeenCalledOnce();
  } finally {
    freeSpace.close();
    drawn.mockRestore();
  }
});
