import { h } from "./dom.ts";
import { type InkPoint, inkLength, inkLimits, inkWidth, refitted, type Sample, type Stroke } from "./ink.ts";
import { contextOf, drawStrokes } from "./ink-canvas.ts";
import { texts } from "./texts.ts";

export interface SignaturePad {
  element: HTMLElement;
  /** What takes the focus when a drawing is missing. */
  focusable: HTMLElement;
  strokes(): readonly Stroke[];
  isEmpty(): boolean;
  /** Whether what is drawn is long enough to be a signature. */
  isSignature(): boolean;
  undo(): void;
  clear(): void;
}

/**
 * A pad to draw on with mouse, finger or pen. Keeps strokes, not pixels: it survives the turning of the phone, and is
 * sharp on any screen. One pointer draws at a time, so that the palm of the hand does not.
 */
export const signaturePad = (changed: () => void, signal: AbortSignal): SignaturePad => {
  const canvas = h("canvas", { class: "pad-canvas", role: "img", tabindex: -1, "aria-label": texts.sign.pad });
  const hint = h("span", { class: "pad-hint", "aria-hidden": "true" }, texts.sign.padHint);
  const element = h("div", { class: "pad" }, hint, canvas);
  let strokes: Stroke[] = [];
  let size = { width: 0, height: 0 };

  const redraw = () => {
    const context = contextOf(canvas);
    const density = canvas.width / Math.max(1, size.width);
    context.setTransform(density, 0, 0, density, 0, 0);
    context.clearRect(0, 0, size.width, size.height);
    drawStrokes(context, strokes);
    element.classList.toggle("inked", strokes.length > 0);
  };
  const replace = (next: Stroke[]) => {
    strokes = next;
    redraw();
    changed();
  };

  const resized = new ResizeObserver(() => {
    const { clientWidth: width, clientHeight: height } = canvas;
    if (width === 0 || height === 0) return;
    if (size.width > 0) strokes = refitted(strokes, size, { width, height });
    size = { width, height };
    canvas.width = Math.round(width * Math.max(2, devicePixelRatio));
    canvas.height = Math.round(height * Math.max(2, devicePixelRatio));
    redraw();
  });
  resized.observe(canvas);
  signal.addEventListener("abort", () => resized.disconnect(), { once: true });

  const pointsLeft = () => inkLimits.points - strokes.reduce((sum, stroke) => sum + stroke.length, 0);
  listenToPointers(canvas, signal, {
    draw: (stroke, isNew) => {
      if (pointsLeft() <= 0) return;
      strokes = isNew ? [...strokes, stroke] : [...strokes.slice(0, -1), stroke];
      redraw();
    },
    end: changed,
  });

  return {
    element,
    focusable: canvas,
    strokes: () => strokes,
    isEmpty: () => strokes.length === 0,
    isSignature: () => inkLength(strokes) >= inkLimits.minLengthPx,
    undo: () => replace(strokes.slice(0, -1)),
    clear: () => replace([]),
  };
};

interface Drawing {
  /** The stroke as far as it is drawn; new when it has just begun. */
  draw(stroke: Stroke, isNew: boolean): void;
  end(): void;
}

const listenToPointers = (canvas: HTMLCanvasElement, signal: AbortSignal, drawing: Drawing): void => {
  let pointerId: number | null = null;
  let points: InkPoint[] = [];
  let last: { sample: Sample; width: number } | undefined;

  const add = (event: PointerEvent) => {
    const sample = sampleOf(event, canvas);
    if (last !== undefined && Math.hypot(sample.x - last.sample.x, sample.y - last.sample.y) < 0.5) return;
    const width = inkWidth(last, sample);
    last = { sample, width };
    points.push({ x: sample.x, y: sample.y, width });
  };
  canvas.addEventListener(
    "pointerdown",
    (event) => {
      if (pointerId !== null || event.button !== 0) return;
      event.preventDefault();
      pointerId = event.pointerId;
      canvas.setPointerCapture(event.pointerId);
      points = [];
      last = undefined;
      add(event);
      drawing.draw(points, true);
    },
    { signal },
  );
  canvas.addEventListener(
    "pointermove",
    (event) => {
      if (event.pointerId !== pointerId) return;
      for (const each of coalesced(event)) add(each);
      drawing.draw(points, false);
    },
    { signal },
  );
  const finish = (event: PointerEvent) => {
    if (event.pointerId !== pointerId) return;
    pointerId = null;
    drawing.end();
  };
  canvas.addEventListener("pointerup", finish, { signal });
  canvas.addEventListener("pointercancel", finish, { signal });
};

/** All positions since the last event, where the browser tells them: a fast pen reports more than a frame shows. */
const coalesced = (event: PointerEvent): PointerEvent[] => {
  const events = event.getCoalescedEvents?.() ?? [];
  return events.length > 0 ? events : [event];
};

const sampleOf = (event: PointerEvent, canvas: HTMLCanvasElement): Sample => {
  const box = canvas.getBoundingClientRect();
  return {
    x: event.clientX - box.left,
    y: event.clientY - box.top,
    pressure: event.pressure,
    pointerType: event.pointerType,
    timeMs: event.timeStamp,
  };
};
