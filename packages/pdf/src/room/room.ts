import type { Room } from "../default-placements.ts";
import type { Inspection, Rectangle } from "../port.ts";
import { Marks } from "./marks.ts";
import { Renderer } from "./pdfium.ts";

/** Time of processors for drawing pages of one document. */
const MAX_DRAWING_MS = 300;

/** What the pages of a document bear, as they are rendered: one after the other as they are asked for, while there is time. */
export class RenderedRoom implements Room {
  readonly #inspection: Inspection;
  readonly #renderer: Renderer;
  readonly #isOver: () => boolean;
  readonly #pages = new Map<number, Marks | undefined>();

  private constructor(inspection: Inspection, renderer: Renderer, isOver: () => boolean) {
    this.#inspection = inspection;
    this.#renderer = renderer;
    this.#isOver = isOver;
  }

  static async of(bytes: Uint8Array, inspection: Inspection): Promise<RenderedRoom> {
    let began: NodeJS.CpuUsage | undefined;
    const isOver = () => {
      // This thread's alone: others compile what draws, as often as a process is new.
      began ??= process.threadCpuUsage();
      const { user, system } = process.threadCpuUsage(began);
      return (user + system) / 1_000 > MAX_DRAWING_MS;
    };
    return new RenderedRoom(inspection, await Renderer.of(bytes, isOver), isOver);
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
    if (size === undefined || this.#isOver() || this.#renderer.pageCount !== pageCount) return undefined;
    const picture = this.#renderer.picture(page - 1, size);
    return picture && new Marks(picture);
  }
}
