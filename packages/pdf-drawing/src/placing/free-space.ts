import type { PageSize, Rectangle } from "@rubrica/pdf-reading/pages";
import { systemClock } from "@rubrica/runtime";
import type { Inspection } from "../inspect.ts";
import { DrawingTime } from "./drawing-time.ts";
import { Marks } from "./marks.ts";
import { type Edges, Renderer } from "./pdfium.ts";
import type { FreeSpace } from "./stamp-places.ts";

/** For drawing pages of one document. */
const LIMITS = { processorMs: 300, elapsedMs: 2_000 };
/** How far from any mark a rectangle must be to count as empty, in points: glyphs may be larger than told. */
const CLEARANCE_PT = 18;

/** Where the pages of a document have marks, as they are rendered: one after the other as they are asked for, while there is time. */
export class RenderedFreeSpace implements FreeSpace {
  readonly #inspection: Inspection;
  readonly #renderer: Renderer;
  readonly #time: DrawingTime;
  /** Each page's marks by the boxes of its objects; undefined where they can't be trusted: then by its picture, below. */
  readonly #occupied = new Map<number, readonly Edges[] | undefined>();
  readonly #marks = new Map<number, Marks | undefined>();

  private constructor(inspection: Inspection, renderer: Renderer, time: DrawingTime) {
    this.#inspection = inspection;
    this.#renderer = renderer;
    this.#time = time;
  }

  /** @param time for all that is drawn */
  static async of(
    bytes: Uint8Array,
    inspection: Inspection,
    time = new DrawingTime(LIMITS, systemClock),
  ): Promise<RenderedFreeSpace> {
    return new RenderedFreeSpace(inspection, await Renderer.of(bytes, time), time);
  }

  isKnown(page: number): boolean {
    return (this.#occupiedOn(page) ?? this.#marksOn(page)) !== undefined;
  }

  marksWithin(page: number, rectangle: Rectangle): number | undefined {
    if (this.#occupiedOn(page)?.every((edges) => isFarFrom(rectangle, edges))) return 0;
    return this.#marksOn(page)?.within(rectangle);
  }

  /** Does work that asks this for many places, within one limit of time; cut short, it is done once more with what is known by then. */
  together<Result>(work: () => Result): Result {
    return this.#renderer.together(() => ({ result: work() }))?.result ?? work();
  }

  /** Whether pages were not looked at since others had the processor: a look by somebody else may tell of them. */
  wasCutShortByOthers(): boolean {
    return this.#time.wentToOthers();
  }

  close(): void {
    for (const marks of this.#marks.values()) marks?.close();
    this.#renderer.close();
  }

  #occupiedOn(page: number): readonly Edges[] | undefined {
    if (!this.#occupied.has(page)) {
      const size = this.#sizeOf(page);
      this.#occupied.set(page, size && this.#renderer.occupied(page - 1, size));
    }
    return this.#occupied.get(page);
  }

  #marksOn(page: number): Marks | undefined {
    if (!this.#marks.has(page)) {
      const size = this.#sizeOf(page);
      this.#marks.set(page, size && this.#renderer.seen(page - 1, size, (picture) => new Marks(picture)));
    }
    return this.#marks.get(page);
  }

  /** Undefined where nothing more is to be known of a page. */
  #sizeOf(page: number): PageSize | undefined {
    const { pages, pageCount } = this.#inspection;
    // Where PDFium counts other pages than we do, nothing that it says of any is to be trusted.
    return this.#time.isOver() || this.#renderer.pageCount !== pageCount ? undefined : pages[page - 1];
  }
}

const isFarFrom = ({ x, y, width, height }: Rectangle, { left, top, right, bottom }: Edges): boolean =>
  x - CLEARANCE_PT > right ||
  x + width + CLEARANCE_PT < left ||
  y - CLEARANCE_PT > bottom ||
  y + height + CLEARANCE_PT < top;
