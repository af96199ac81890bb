import { systemClock } from "@rubrica/runtime";
import type { Room } from "../default-placements.ts";
import type { Inspection, Rectangle } from "../port.ts";
import { DrawingTime } from "./drawing-time.ts";
import { Marks } from "./marks.ts";
import { Renderer } from "./pdfium.ts";

/** For drawing pages of one document. */
const LIMITS = { processorMs: 300, passingMs: 2_000 };

/** What the pages of a document bear, as they are rendered: one after the other as they are asked for, while there is time. */
export class RenderedRoom implements Room {
  readonly #inspection: Inspection;
  readonly #renderer: Renderer;
  readonly #time: DrawingTime;
  readonly #pages = new Map<number, Marks | undefined>();

  private constructor(inspection: Inspection, renderer: Renderer, time: DrawingTime) {
    this.#inspection = inspection;
    this.#renderer = renderer;
    this.#time = time;
  }

  static async of(bytes: Uint8Array, inspection: Inspection): Promise<RenderedRoom> {
    const time = new DrawingTime(LIMITS, systemClock);
    return new RenderedRoom(inspection, await Renderer.of(bytes, time), time);
  }

  marksWithin(page: number, rectangle: Rectangle): number | undefined {
    if (!this.#pages.has(page)) this.#pages.set(page, this.#look(page));
    return this.#pages.get(page)?.within(rectangle);
  }

  close(): void {
    this.#renderer.close();
  }

  #look(page: number): Marks | undefined {
    const { pages, pageCount } = this.#inspection;
    const size = pages[page - 1];
    // Where others count other pages, nothing is known of any.
    if (size === undefined || this.#time.isOver() || this.#renderer.pageCount !== pageCount) return undefined;
    const picture = this.#renderer.picture(page - 1, size);
    return picture && new Marks(picture);
  }
}
