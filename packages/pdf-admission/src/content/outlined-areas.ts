import type { Operator } from "@rubrica/pdf-reading/content-operators";
import type { Edit, Outlined } from "./reading.ts";

/**
 * Areas that are painted at once with the lines around them (ISO 32000-2, 8.5.3.1). Where lines are seen through, two
 * readers show the area through them and two do not.
 */

/** Where operators stand of which most only set something, and may stand twice. PyMuPDF sets colors within paths. */
const SETTING = new Set<Operator["kind"]>(["general", "color"]);
const MARK = /^(?:B[MD]C|EMC|[MD]P|[BE]X)$/;

/** Follows paths, and notes those of which both are painted, and the lines are seen through or may be. */
export class OutlinedAreas {
  readonly all: Outlined[] = [];
  #isInPath = false;
  /** Where the last path begins. */
  #path = 0;
  #clips: Edit[] = [];
  #isMixed = false;

  /** Where the path begins that is not ended, if there is one. */
  get path(): number {
    return this.#path;
  }

  /**
   * Takes an operator, with where its operands begin, itself does and it ends.
   * @param isClear whether lines are seen through; undefined where that is as who uses the content has it
   */
  goOn({ name, kind }: Operator, from: number, [start, end]: readonly [number, number], isClear?: boolean): void {
    if (kind === "begin_path" || kind === "path") {
      if (!this.#isInPath) this.#begin(from);
    } else if (kind === "paint") {
      if (this.#isInPath && /[bB]/.test(name) && isClear !== false)
        this.all.push({
          path: this.#path,
          start,
          end,
          ofLines: this.#clips,
          isMixed: this.#isMixed,
          isAsBegun: !isClear,
        });
      this.#isInPath = false;
    } else if (kind === "clip") this.#clips = [{ start, end, instead: "" }];
    else this.#isMixed ||= !SETTING.has(kind) || MARK.test(name);
  }

  #begin(from: number): void {
    this.#isInPath = true;
    this.#path = from;
    this.#clips = [];
    this.#isMixed = false;
  }
}
