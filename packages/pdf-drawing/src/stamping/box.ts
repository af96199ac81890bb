import { deflateSync } from "node:zlib";
import type { Placement } from "@rubrica/events";
import type { PDFContext, PDFRef } from "pdf-lib";
import { STAMP_BOX } from "../placement.ts";
import {
  depthOfRuns,
  type FontSubsets,
  prepareShaping,
  type Run,
  runsOf,
  type Weight,
  widthOfRuns,
} from "../text/index.ts";
import { embedDrawing, readDrawing } from "./drawing.ts";
import { localTime, shortId, stampTexts } from "./texts.ts";

/** One signer's visible signature. */
export interface Stamp {
  placement: Placement;
  /** The signature as drawn: PNG (transparency kept) or JPEG (white becomes transparent). */
  drawing: Uint8Array;
  name: string;
  idNumber: string;
  /** Milliseconds since the UNIX epoch. */
  signedAt: number;
  /** The signer's IANA time zone; null or unknown ones count as UTC. */
  timeZone: string | null;
  documentId: string;
}

/** Light enough below a stamp's words on black ground, and black words can still be read through it. */
const BACKING_OPACITY = 0.6;
const INK = "0.12 0.25 0.5";
const TEXT = "0.15 0.15 0.18";
const BAR_WIDTH = 1.6;
const TEXT_LEFT = 7;
const TEXT_WIDTH = STAMP_BOX.width - TEXT_LEFT - 3;
/** Smaller print is not read on paper. */
const DETAIL_SIZE = 7;
const DETAIL_LEADING = 8.4;
const LOWEST_BASELINE = 3;
const NAME_SIZE = 8;
/** Below this size a name is better set in two lines. */
const NAME_SIZE_ON_ONE_LINE = 7;
const SMALLEST_SIZE = 3.5;
const GAP_AROUND_RULE = 3;
const NAME_LEADING = 1.15;
const GAP_BELOW_NAME = 0.8;
/** From a name's lowest baseline to what stands below; deeper letters, as in Burmese or Tibetan, lift their line. */
const ROOM_BELOW_NAME = DETAIL_LEADING - DETAIL_SIZE * 0.75;

interface Line {
  runs: Run[];
  size: number;
}

/** What a stamp's form XObject is made of, before it is written. */
export interface StampBox {
  /** Content operators in a space of {@link STAMP_BOX}'s size, origin bottom left, y upwards. */
  content: string;
  image: PDFRef;
}

/** Lays one signer's stamp out: the drawing above, then name, ID number, local time and document id. */
export const layOut = async (stamp: Stamp, context: PDFContext, fonts: FontSubsets): Promise<StampBox> => {
  const details = [
    `${stampTexts.idNumber}: ${stamp.idNumber}`,
    `${stampTexts.signedAt}: ${localTime(stamp.signedAt, stamp.timeZone)}`,
    `${stampTexts.document}: ${shortId(stamp.documentId)}`,
  ];
  await prepareShaping([stamp.name, ...details].join(" "));
  const detailLines = details.flatMap(linesOfDetail);
  const operators: string[] = [];
  let baseline = LOWEST_BASELINE;
  for (const line of detailLines.reverse()) {
    operators.push(await textAt(line, baseline, fonts));
    baseline += DETAIL_LEADING;
  }
  for (const line of linesOfName(stamp.name).reverse()) {
    baseline += Math.max(GAP_BELOW_NAME, depthOfRuns(line.runs, line.size) - ROOM_BELOW_NAME);
    operators.push(await textAt(line, baseline, fonts));
    baseline += line.size * NAME_LEADING - GAP_BELOW_NAME;
  }
  baseline += GAP_BELOW_NAME;
  const rule = baseline + 0.2;
  const area = {
    left: TEXT_LEFT,
    bottom: rule + GAP_AROUND_RULE,
    width: TEXT_WIDTH,
    height: STAMP_BOX.height - rule - GAP_AROUND_RULE - 2,
  };
  const drawing = await readDrawing(stamp.drawing, area.width, area.height);
  const scale = Math.min(area.width / drawing.width, area.height / drawing.height);
  const [width, height] = [drawing.width * scale, drawing.height * scale];
  const content = [
    `q /backing gs 1 g 0 0 ${STAMP_BOX.width} ${STAMP_BOX.height} re f Q`,
    `q ${INK} rg 0 0 ${BAR_WIDTH} ${STAMP_BOX.height} re f Q`,
    `q ${INK} RG 0.4 w ${TEXT_LEFT} ${n(rule)} m ${n(TEXT_LEFT + TEXT_WIDTH)} ${n(rule)} l S Q`,
    `q /multiply gs ${n(width)} 0 0 ${n(height)} ${n(area.left)} ${n(area.bottom + (area.height - height) / 2)} cm /drawing Do Q`,
    `q ${TEXT} rg`,
    ...operators,
    "Q",
  ].join("\n");
  return { content, image: embedDrawing(context, drawing) };
};

/** Writes a laid out stamp as a form XObject (ISO 32000-2, 8.10), turned by a matrix when it is an appearance. */
export const embedBox = (
  context: PDFContext,
  box: StampBox,
  fonts: ReadonlyMap<string, PDFRef>,
  matrix: readonly number[] = [1, 0, 0, 1, 0, 0],
): PDFRef =>
  context.register(
    context.stream(deflateSync(Buffer.from(box.content, "latin1")), {
      Type: "XObject",
      Subtype: "Form",
      BBox: [0, 0, STAMP_BOX.width, STAMP_BOX.height],
      Matrix: [...matrix],
      Filter: "FlateDecode",
      Resources: {
        Font: Object.fromEntries(fonts),
        XObject: { drawing: box.image },
        // White paper in a drawn picture must not hide what the page says beneath it.
        ExtGState: {
          multiply: { Type: "ExtGState", BM: "Multiply" },
          backing: { Type: "ExtGState", ca: BACKING_OPACITY },
        },
      },
    }),
  );

const n = (value: number): string => String(Math.round(value * 1_000) / 1_000);

const textAt = async (line: Line, baseline: number, fonts: FontSubsets): Promise<string> =>
  `BT 1 0 0 1 ${TEXT_LEFT} ${n(baseline)} Tm ${await fonts.show(line.runs, line.size)} ET`;

/** Text set as large as it fits on one line, up to a size. */
const fitted = (text: string, weight: Weight, size: number): Line => {
  const runs = runsOf(text, weight);
  const width = widthOfRuns(runs, size);
  const fitting = width <= TEXT_WIDTH ? size : (size * TEXT_WIDTH) / width;
  return { runs, size: Number(n(Math.max(fitting, SMALLEST_SIZE))) };
};

/** A detail on one line, or on two where it is too long to be read on one. */
const linesOfDetail = (detail: string): Line[] => {
  const oneLine = fitted(detail, "regular", DETAIL_SIZE);
  return oneLine.size === DETAIL_SIZE ? [oneLine] : inTwo(detail).map((half) => fitted(half, "regular", DETAIL_SIZE));
};

/** A name on one line, or on two where it would get too small. */
const linesOfName = (name: string): Line[] => {
  const oneLine = fitted(name, "bold", NAME_SIZE);
  if (oneLine.size >= NAME_SIZE_ON_ONE_LINE) return [oneLine];
  const halves = inTwo(name).map((half) => fitted(half, "bold", NAME_SIZE_ON_ONE_LINE));
  const size = Math.min(...halves.map((line) => line.size));
  return halves.map(({ runs }) => ({ runs, size }));
};

/** A text parted in two near its middle, at a space if there is one. */
const inTwo = (text: string): [string, string] => {
  const characters = [...text.normalize("NFC").replace(/\s+/gu, " ").trim()];
  const middle = characters.length / 2;
  const spaces = characters.flatMap((character, index) => (character === " " ? [index] : []));
  const nearest = spaces.sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle))[0];
  const at = nearest !== undefined && Math.abs(nearest - middle) < middle / 2 ? nearest : Math.ceil(middle);
  return [characters.slice(0, at).join(""), characters.slice(at).join("").trim()];
};
