import type { Operator } from "@rubrica/pdf-reading/content-operators";

/** What contents are of: not all of them may do the same. */
export type ContentKind = "page" | "form" | "uncolored" | "glyph";

/** What becomes of an operator; one that most readers pass over is dropped. */
export type Step =
  | "taken"
  | "dropped"
  | "refused"
  /** A text where a clip's path was to end: readers leave both. */
  | "path_left";

/** Where in a content one is (ISO 32000-2, figure 9). */
type State = "page" | "text" | "path" | "clipped";

/** Readers allow about thirty at least (ISO 32000-1, annex C). */
const MAX_SAVES = 256;
/** Of more than a thousand areas that are clipped to at once MuPDF draws nothing. */
const MAX_CLIPS = 256;
const MAX_MARKS = 10_000;

/** Where one is in a content: which operators may come next. */
export class OperatorOrder {
  readonly #of: ContentKind;
  #state: State = "page";
  /** Whether a path has a point to go on from. */
  #hasPoint = false;
  #hasBegun = false;
  #hasLeftPath = false;
  /** How many clips there were at each save. */
  readonly #saves: number[] = [];
  #clips = 0;
  /** Colors are those of who uses it: readers do the same where it sets some, or do not. */
  isUncolored: "no" | "yes" | "strictly";
  openMarks = 0;
  surplusMarks = 0;

  constructor(of: ContentKind) {
    this.#of = of;
    this.isUncolored = of === "uncolored" ? "strictly" : "no";
  }

  /** Whether a content may end here: readers accept a save without its restore, but nothing else that was not ended. */
  get isAtRest(): boolean {
    return this.#state === "page";
  }

  /** Whether a path was begun and not ended. */
  get isInPath(): boolean {
    return this.#state === "path" || this.#state === "clipped";
  }

  /** Saves that were not restored so far. */
  get openSaves(): number {
    return this.#saves.length;
  }

  /** In others, a name that their resources lack may be found in those of whoever uses them. */
  get isPage(): boolean {
    return this.#of === "page";
  }

  goOn({ name, kind }: Operator): Step {
    const isFirst = !this.#hasBegun;
    this.#hasBegun = true;
    if (this.#of === "glyph" && isFirst !== (kind === "glyph")) return "refused";
    if (this.#state === "clipped" && kind === "begin_text") return this.#leavePath();
    if (this.#state === "clipped" && kind !== "paint") return "refused";
    switch (kind) {
      case "general":
        return this.#mark(name);
      case "color":
        return "taken";
      case "matrix":
        return this.#state === "path" ? "refused" : "taken";
      case "glyph":
        if (name === "d1") this.isUncolored = "yes";
        return this.#of === "glyph" ? "taken" : "refused";
      case "text":
        return this.#state === "text" ? "taken" : "refused";
      case "begin_text":
        return this.#move("page", "text");
      case "end_text":
        return this.#move("text", "page");
      case "page":
      case "image":
        return this.#state === "page" ? "taken" : "refused";
      case "save":
      case "restore":
        return this.#state === "page" ? this.#save(kind) : "refused";
      default:
        return this.#state === "text" ? "refused" : this.#path(kind);
    }
  }

  /** Pieces of it would come back in what is drawn next. */
  #leavePath(): Step {
    this.#state = "text";
    this.#hasLeftPath = true;
    return "path_left";
  }

  #move(from: State, to: State): Step {
    if (this.#state !== from) return "refused";
    this.#state = to;
    return "taken";
  }

  #save(kind: "save" | "restore"): Step {
    if (kind === "restore") {
      const clips = this.#saves.pop();
      if (clips === undefined) return "dropped";
      this.#clips = clips;
    } else this.#saves.push(this.#clips);
    return this.#saves.length > MAX_SAVES ? "refused" : "taken";
  }

  /** A path that was not begun ends in nothing, but some readers clip by it. */
  #path(kind: Operator["kind"]): Step {
    if (this.#hasLeftPath) return "refused";
    if (kind === "paint") {
      this.#state = "page";
      this.#hasPoint = false;
      return "taken";
    }
    if (kind === "clip") {
      if (this.#state === "page") return "dropped";
      this.#state = "clipped";
      this.#clips += 1;
      return this.#clips > MAX_CLIPS ? "refused" : "taken";
    }
    this.#state = "path";
    this.#hasPoint ||= kind === "begin_path";
    return this.#hasPoint ? "taken" : "refused";
  }

  #mark(name: string): Step {
    if (name === "BMC" || name === "BDC") this.openMarks += 1;
    else if (name === "EMC" && this.openMarks > 0) this.openMarks -= 1;
    else if (name === "EMC") this.surplusMarks += 1;
    return this.openMarks > MAX_MARKS ? "refused" : "taken";
  }
}
