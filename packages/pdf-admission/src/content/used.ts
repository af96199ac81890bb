import type { Matrix } from "./shifts.ts";
import type { StateEffect } from "./state-effects.ts";

/** How what a content draws becomes one with what lies under it; several of these at once are added up. */
export const Manner = {
  /** Seen through by an opacity. */
  clear: 1,
  /** Its colors are mixed with those under it. */
  blended: 2,
  /** Seen through a soft mask. */
  masked: 4,
  /** Seen through a soft mask that was set before what is drawn was moved, made larger or turned. */
  moved: 8,
  /** While areas have the color of a pattern. */
  patterned: 16,
  /** Lines are seen through more than areas are. */
  uneven: 32,
  /** Lines are seen through by an opacity. */
  clearLines: 64,
  /** While lines are dashed. */
  dashed: 128,
  /** While letters are drawn by their areas and the lines around them at once. */
  outlined: 256,
  /** Lines are seen through in another way than areas are. */
  unlike: 512,
  /** While letters are drawn by lines around them, be it at once with their areas. */
  lined: 1024,
  /** Its colors are taken from those under it, or those from its own. */
  subtracted: 2048,
} as const;

/** What a content uses of its resources: names of each category, and how often; of fonts, how many bytes of text. */
export type Uses = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** What a content sets of what it draws, whatever it was begun with. */
export interface Sets {
  isClear: boolean;
  /** Whether it says at all by which opacity something is seen through, be it by none. */
  hasOpacity: boolean;
  /** Whether it mixes colors; whether it says at all how it does, be it in the plain way. */
  isBlended: boolean;
  hasMode: boolean;
  /** Whether it has a soft mask; whether it sets one or ends one. */
  isMasked: boolean;
  hasMask: boolean;
  /** Whether it draws a picture of bits in the color that it was begun with. */
  paintsMask: boolean;
  /** Whether it shows text, be it in the colors of a pattern; whether it draws something of cells, or pieces that lie over each other. */
  showsText: boolean;
  patternsText: boolean;
  isTiled: boolean;
  /** Whether it draws a shading that leaves a part free of what it is drawn in. */
  leavesFree: boolean;
  /** Whether it draws an area and the lines around it at once. */
  outlines: boolean;
  /** Whether it cuts out what follows by something that it draws itself. */
  cutsByDrawn: boolean;
  /** How often it draws something: lines count as more than once, and texts in one color, one after the other, as one. */
  paintings: number;
  /** Whether it draws lines around closed parts or letters, or with square ends, with dashes as its user has them. */
  dashesBoxes: boolean;
  /** Whether it draws text in the way that its user has it: by areas, by lines, or by both. */
  showsTextAsBegun: boolean;
  /**
   * Whether it draws text by lines; whether it does where its user has it so, and lines are dashed, or seen through in
   * another way than areas.
   */
  linesText: boolean;
  linesTextUnlike: boolean;
  /** Whether it draws text and the lines around it at once, that are seen through as its user has it. */
  outlinesText: boolean;
}

/** Modes that change what they are put on also by nothing: MuPDF takes for that what a shading leaves free. */
const SUBTRACTING: ReadonlySet<string> = new Set(["Difference", "Exclusion"]);
const BLENDED_THROUGH = Manner.blended | Manner.masked;

interface State {
  /** The name of the font that text is in. */
  font: string | null;
  manner: number;
  /** How colors are mixed. */
  mode: string;
  /** Where a soft mask was set. */
  maskedAt: Matrix | null;
  /** Whether a form was drawn through that mask. */
  isSpent: boolean;
  /** Opacities of areas and lines, and whether those of lines are set by the content itself. */
  opacities: readonly [areas: number, lines: number];
  setsLines: boolean;
}

/** Counts what a content uses of its resources, and in which manner it draws it. */
export class Used {
  readonly #uses = new Map<string, Map<string, number>>();
  readonly #clear = new Map<string, Set<string>>();
  readonly #drawn = new Map<string, number>();
  #state: State;
  readonly #saved: State[] = [];
  readonly sets: Sets = {
    isClear: false,
    hasOpacity: false,
    isBlended: false,
    hasMode: false,
    isMasked: false,
    hasMask: false,
    paintsMask: false,
    showsText: false,
    patternsText: false,
    isTiled: false,
    leavesFree: false,
    outlines: false,
    cutsByDrawn: false,
    dashesBoxes: false,
    showsTextAsBegun: false,
    linesText: false,
    linesTextUnlike: false,
    outlinesText: false,
    paintings: 0,
  };

  /** @param isPage in others, lines may be seen through as who uses them has it */
  constructor(isPage: boolean) {
    const plain = { manner: 0, mode: "Normal", maskedAt: null, isSpent: false, opacities: [1, 1] } as const;
    this.#state = { font: null, ...plain, setsLines: isPage };
  }

  get uses(): Uses {
    return this.#uses;
  }

  /** Fonts and forms that were used while they are seen through by an opacity. */
  get clear(): ReadonlyMap<string, ReadonlySet<string>> {
    return this.#clear;
  }

  /** In which manners forms and pictures are drawn, by their names; not named are those that are drawn plainly. */
  get drawn(): ReadonlyMap<string, number> {
    return this.#drawn;
  }

  take(category: string, name: string, times = 1): void {
    const names = this.#uses.get(category) ?? new Map();
    this.#uses.set(category, names.set(name, (names.get(name) ?? 0) + times));
    if ((this.#state.manner & Manner.clear) === 0 || times === 0) return;
    this.#clear.set(category, (this.#clear.get(category) ?? new Set()).add(name));
  }

  /** A form or a picture is drawn; `pens`: in which manner areas, lines and letters are. */
  draw(name: string, matrix: Matrix, pens: number): void {
    const { maskedAt } = this.#state;
    const manner = this.#state.manner | pens;
    if (manner === 0) return;
    const moved = maskedAt !== null && maskedAt !== matrix ? Manner.moved : 0;
    this.#drawn.set(name, (this.#drawn.get(name) ?? 0) | manner | moved);
  }

  /**
   * Whether all readers draw alike what is drawn now: pdf.js does not mix colors through a mask, and Poppler prints without
   * the mask what follows a group that was drawn through it.
   */
  get isDrawnAlike(): boolean {
    const { manner, isSpent } = this.#state;
    return (manner & BLENDED_THROUGH) !== BLENDED_THROUGH && !((manner & Manner.masked) !== 0 && isSpent);
  }

  /** Whether something would be drawn through a soft mask now. */
  get isMasked(): boolean {
    return (this.#state.manner & Manner.masked) !== 0;
  }

  /** A form is drawn: where it is no group, it is made one for a mask. */
  spendMask(): void {
    if (this.isMasked) this.#state = { ...this.#state, isSpent: true };
  }

  /** In which manner something would be drawn now. */
  get manner(): number {
    return this.#state.manner;
  }

  /** Whether lines are seen through by an opacity; undefined where that is as who uses the content has it. */
  get hasClearLines(): boolean | undefined {
    return this.#state.setsLines ? this.#state.opacities[1] < 1 : undefined;
  }

  /** Whether areas are seen through by an opacity that the content sets itself. */
  get hasClearAreas(): boolean {
    return this.#state.opacities[0] < 1;
  }

  /** How colors would be mixed. */
  get mode(): string {
    return this.#state.mode;
  }

  takeFont(font: string): void {
    this.#state = { ...this.#state, font };
    this.take("Font", font, 0);
  }

  /** A graphics state is set. */
  takeState(effect: StateEffect | undefined, matrix: Matrix): void {
    if (effect === undefined) return;
    const { isClear, isBlended, isMasked } = effect;
    const { font, manner, mode, maskedAt, opacities } = this.#state;
    const [ofAreas, ofLines] = opacities;
    const [areas, lines] = [effect.opacities[0] ?? ofAreas, effect.opacities[1] ?? ofLines];
    const changed = (is: boolean | undefined, bit: number) => (is === undefined ? manner & bit : is ? bit : 0);
    this.#state = {
      font,
      manner:
        changed(isClear, Manner.clear) |
        changed(isBlended, Manner.blended) |
        (SUBTRACTING.has(effect.mode ?? mode) ? Manner.subtracted : 0) |
        changed(isMasked, Manner.masked) |
        (lines < areas ? Manner.uneven : 0) |
        (lines < 1 ? Manner.clearLines : 0) |
        (lines === areas ? 0 : Manner.unlike),
      mode: effect.mode ?? mode,
      isSpent: isMasked === undefined && this.#state.isSpent,
      opacities: [areas, lines],
      setsLines: this.#state.setsLines || effect.opacities[1] !== undefined,
      maskedAt: isMasked === undefined ? maskedAt : isMasked ? matrix : null,
    };
    this.sets.isClear ||= isClear === true;
    this.sets.hasOpacity ||= effect.opacities.some((opacity) => opacity !== undefined);
    this.sets.isBlended ||= isBlended === true;
    this.sets.hasMode ||= isBlended !== undefined;
    this.sets.isMasked ||= isMasked === true;
    this.sets.hasMask ||= isMasked !== undefined;
  }

  /** The name of the font that text is in; null where that is set elsewhere. */
  get font(): string | null {
    return this.#state.font;
  }

  /** Text of so many bytes, with its brackets. */
  show(bytes: number): void {
    if (this.#state.font !== null) this.take("Font", this.#state.font, bytes);
  }

  /** A state is saved, or the last one restored. */
  keep(name: string): void {
    if (name === "q") this.#saved.push(this.#state);
    else if (name === "Q") this.#state = this.#saved.pop() ?? this.#state;
  }
}
