import { type InkPoint, inkBox, type Stroke, transformed } from "./ink.ts";

/** Dark blue, as of a pen: seen on the black text of a document, and in grey copies. */
const inkColor = "#14286e";

/** What the drawing is sent as: large enough to print sharp in its box, small enough for a slow network. */
const imageLimits = { widthPx: 1_000, heightPx: 400, paddingPx: 8, dataUriBytes: 200_000 } as const;

/** Draws strokes as smooth curves through the middles of their points. */
export const drawStrokes = (context: CanvasRenderingContext2D, strokes: readonly Stroke[]): void => {
  context.strokeStyle = inkColor;
  context.fillStyle = inkColor;
  context.lineCap = "round";
  context.lineJoin = "round";
  for (const stroke of strokes) drawStroke(context, stroke);
};

const drawStroke = (context: CanvasRenderingContext2D, stroke: Stroke): void => {
  const [first, second] = stroke;
  if (first === undefined) return;
  if (second === undefined) drawDot(context, first);
  let from: InkPoint = first;
  for (const [index, point] of stroke.entries()) {
    if (index === 0) continue;
    const before = stroke[index - 1] ?? point;
    const isLast = index === stroke.length - 1;
    const to = isLast ? point : middle(before, point);
    context.beginPath();
    context.lineWidth = before.width;
    context.moveTo(from.x, from.y);
    context.quadraticCurveTo(before.x, before.y, to.x, to.y);
    context.stroke();
    from = to;
  }
};

const drawDot = (context: CanvasRenderingContext2D, { x, y, width }: InkPoint): void => {
  context.beginPath();
  context.arc(x, y, width * 0.7, 0, 2 * Math.PI);
  context.fill();
};

const middle = (a: InkPoint, b: InkPoint): InkPoint => ({
  x: (a.x + b.x) / 2,
  y: (a.y + b.y) / 2,
  width: (a.width + b.width) / 2,
});

/** The strokes as a transparent PNG, trimmed to the ink, as a data URI within `imageLimits`. Throws without ink. */
export const strokesImage = (strokes: readonly Stroke[]): string => {
  const box = inkBox(strokes);
  if (box === null) throw new Error("no ink");
  const inner = innerSize();
  const scale = Math.min(inner.width / (box.right - box.left), inner.height / (box.bottom - box.top), 4);
  return withinSize(scale, (fitting) => {
    const { canvas, context } = transparentCanvas((box.right - box.left) * fitting, (box.bottom - box.top) * fitting);
    context.translate(imageLimits.paddingPx, imageLimits.paddingPx);
    drawStrokes(context, transformed(strokes, box.left, box.top, fitting));
    return canvas;
  });
};

/** The handwriting faces of phones and desktops, the first that is there; without any, an italic. */
const handwriting = '"Snell Roundhand", "Dancing Script", "Segoe Script", "Brush Script MT", cursive';

/** A typed name in handwriting as a transparent PNG, trimmed, as a data URI within `imageLimits`. */
export const typedImage = (name: string): string => {
  const font = (sizePx: number) => `italic ${sizePx}px ${handwriting}`;
  const trialPx = 100;
  const { context: trial } = transparentCanvas(1, 1);
  trial.font = font(trialPx);
  const size = trial.measureText(name);
  const width = size.actualBoundingBoxLeft + size.actualBoundingBoxRight;
  const height = size.actualBoundingBoxAscent + size.actualBoundingBoxDescent;
  if (width <= 0 || height <= 0) throw new Error("no ink");
  const inner = innerSize();
  return withinSize(Math.min(inner.width / width, inner.height / height, 1.6), (scale) => {
    const { canvas, context } = transparentCanvas(width * scale, height * scale);
    context.translate(imageLimits.paddingPx, imageLimits.paddingPx);
    context.font = font(trialPx * scale);
    context.fillStyle = inkColor;
    context.fillText(name, size.actualBoundingBoxLeft * scale, size.actualBoundingBoxAscent * scale);
    return canvas;
  });
};

const innerSize = () => ({
  width: imageLimits.widthPx - 2 * imageLimits.paddingPx,
  height: imageLimits.heightPx - 2 * imageLimits.paddingPx,
});

/** Draws smaller until the PNG is within the limit; half a dozen halvings of the area are enough for any drawing. */
const withinSize = (scale: number, draw: (scale: number) => HTMLCanvasElement): string => {
  for (let attempt = 0, smaller = scale; attempt < 8; attempt += 1, smaller *= 0.7) {
    const dataUri = draw(smaller).toDataURL("image/png");
    if (dataUri.length <= imageLimits.dataUriBytes) return dataUri;
  }
  throw new Error("the drawing is too large");
};

/** A transparent canvas with room for `width` by `height` and the padding around. */
const transparentCanvas = (width: number, height: number) => {
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width) + 2 * imageLimits.paddingPx;
  canvas.height = Math.round(height) + 2 * imageLimits.paddingPx;
  return { canvas, context: contextOf(canvas) };
};

/** The canvas' drawing context; throws where the browser gives none (out of canvas memory). */
export const contextOf = (canvas: HTMLCanvasElement): CanvasRenderingContext2D => {
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("no canvas");
  return context;
};
