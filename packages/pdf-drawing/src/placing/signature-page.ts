import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import { joined } from "@rubrica/pdf-reading/bytes";
import type { OpenDocument } from "@rubrica/pdf-reading/open";
import { kidsOf } from "@rubrica/pdf-reading/page-tree";
import type { PageSize } from "@rubrica/pdf-reading/pages";
import { Revision } from "@rubrica/pdf-reading/revision";
import { PDFArray, type PDFDict, PDFName, PDFNumber, PDFRef } from "pdf-lib";
import type { Inspection } from "../inspect.ts";
import { STAMP_BOX } from "../placement.ts";
import { stampTexts } from "../stamping/texts.ts";
import { FontSubsets, prepareShaping, runsOf, type Weight, widthOfRuns } from "../text/index.ts";

const [MARGIN, GAP] = [36, 8];
const HEADING_HEIGHT = 62;
/** A page says what it belongs to, and has room for a stamp, however small the others are. */
const LEAST: PageSize = {
  width: STAMP_BOX.width + 2 * MARGIN,
  height: STAMP_BOX.height + HEADING_HEIGHT + 2 * MARGIN,
};
/** Pages are so large at most, in units (ISO 32000-1, annex C). */
const MAX_UNITS = 14_400;
const SMALLEST_SIZE = 3;
const INK = "0.12 0.25 0.5";
const TEXT = "0.15 0.15 0.18";

/** A page for signatures: where they go on it, in points from its top left corner. */
export interface SignaturePage extends PageSize {
  slots: readonly { x: number; y: number }[];
}

/** Pages that some more signatures need, as large as the document's last one; in rows from the top left. */
export const signaturePagesFor = ({ pages: sizes }: Inspection, count: number): SignaturePage[] => {
  const last = sizes.at(-1) ?? LEAST;
  const width = Math.min(MAX_UNITS, Math.max(LEAST.width, last.width));
  const height = Math.min(MAX_UNITS, Math.max(LEAST.height, last.height));
  const top = MARGIN + HEADING_HEIGHT;
  const columns = Math.floor((width - 2 * MARGIN + GAP) / (STAMP_BOX.width + GAP));
  const rows = Math.floor((height - MARGIN - top + GAP) / (STAMP_BOX.height + GAP));
  const slot = (index: number) => ({
    x: MARGIN + (index % columns) * (STAMP_BOX.width + GAP),
    y: top + Math.floor(index / columns) * (STAMP_BOX.height + GAP),
  });
  const pages: SignaturePage[] = [];
  for (let left = count; left > 0; left -= columns * rows) {
    const slots = Array.from({ length: Math.min(left, columns * rows) }, (_, index) => slot(index));
    pages.push({ width, height, slots });
  }
  return pages;
};

/**
 * A document with pages for signatures at its end, appended as a revision; each says what it belongs to. Null where the
 * document's page tree takes no more.
 */
export const withSignaturePages = async (
  document: OpenDocument,
  { pageCount }: Inspection,
  pages: readonly SignaturePage[],
  title: string,
): Promise<Uint8Array | null> => {
  const { file } = document;
  const rootRef = file.catalog.get(PDFName.of("Pages"));
  const root = file.dictEntry(file.catalog, "Pages");
  const kids = root && kidsOf(file, root);
  if (!(rootRef instanceof PDFRef) || root === undefined || kids === undefined) return null;
  const revision = new Revision(file);
  const sha256 = createHash("sha256").update(file.bytes).digest("hex");
  const headingOf = (number: number): Line[] => [
    { text: stampTexts.signaturePage(number, pages.length), weight: "bold", size: 14, drop: 12 },
    { text: `${stampTexts.document}: ${title}`, weight: "regular", size: 10, drop: 30 },
    { text: stampTexts.belongsTo(pageCount), weight: "regular", size: 8, drop: 42 },
    { text: `${stampTexts.itsHash(pages.length)}: ${sha256}`, weight: "regular", size: 8, drop: 52 },
  ];
  const list = PDFArray.withContext(revision.context);
  for (const kid of kids.asArray()) list.push(kid);
  for (const [index, page] of pages.entries()) list.push(await added(revision, rootRef, page, headingOf(index + 1)));
  const changed = root.clone();
  changed.set(PDFName.of("Kids"), list);
  changed.set(PDFName.of("Count"), PDFNumber.of(pageCount + pages.length));
  revision.replace(rootRef, changed);
  return joined(revision.write());
};

interface Line {
  text: string;
  weight: Weight;
  size: number;
  /** How far its baseline is below the margin. */
  drop: number;
}

const added = async (
  revision: Revision,
  parent: PDFRef,
  { width, height }: SignaturePage,
  heading: readonly Line[],
): Promise<PDFRef> => {
  const { context } = revision;
  await prepareShaping(heading.map(({ text }) => text).join(" "));
  const fonts = new FontSubsets("SIGNPG");
  const lineWidth = width - 2 * MARGIN;
  const operators: string[] = [];
  for (const { text, weight, size, drop } of heading) {
    const runs = runsOf(text, weight);
    const fitting = Math.max(SMALLEST_SIZE, Math.min(size, (size * lineWidth) / Math.max(1, widthOfRuns(runs, size))));
    const shown = await fonts.show(runs, Math.floor(fitting * 100) / 100);
    operators.push(`BT 1 0 0 1 ${MARGIN} ${n(height - MARGIN - drop)} Tm ${shown} ET`);
  }
  const rule = n(height - MARGIN - 16);
  const content = [
    `q ${INK} RG 0.6 w ${MARGIN} ${rule} m ${n(width - MARGIN)} ${rule} l S Q`,
    `q ${TEXT} rg`,
    ...operators,
    "Q",
  ].join("\n");
  const page = context.obj({
    Type: "Page",
    Parent: parent,
    MediaBox: [0, 0, Number(n(width)), Number(n(height))],
    CropBox: [0, 0, Number(n(width)), Number(n(height))],
    Rotate: 0,
    Resources: { Font: Object.fromEntries(await fonts.embed(context)) },
    Contents: context.register(context.stream(deflateSync(Buffer.from(content, "latin1")), { Filter: "FlateDecode" })),
  }) as PDFDict;
  return revision.add(page);
};

const n = (value: number): string => String(Math.round(value * 1_000) / 1_000);
