import type { StateEffect } from "./state-effects.ts";

/** What a content does within parts that belong to layers (ISO 32000-2, 8.11.3.2), and which some readers do though these are off. */
export interface InLayers {
  /** Names of forms and pictures that it draws there. */
  draws: ReadonlySet<string>;
  /** Whether it sets a soft mask there, or ends one, for what comes after the part as well. */
  setsMasks: boolean;
}

/** Goes along with the parts of a content that are marked. */
export class LayerMarks {
  /** Of each part that is open, how many saves there were as it began; null where it belongs to no layer. */
  readonly #open: (number | null)[] = [];
  #layers = 0;
  readonly #draws = new Set<string>();
  #setsMasks = false;

  /** A part begins, after so many saves. */
  begin(isLayer: boolean, saves: number): void {
    this.#open.push(isLayer ? saves : null);
    if (isLayer) this.#layers += 1;
  }

  /** The last part that began ends. */
  end(): void {
    if (typeof this.#open.pop() === "number") this.#layers -= 1;
  }

  draw(name: string): void {
    if (this.#layers > 0) this.#draws.add(name);
  }

  /** A state is set, after so many saves; `wasMasked`: a mask was there before. */
  takeState(effect: StateEffect | undefined, saves: number, wasMasked: boolean): void {
    const isMask = effect?.isMasked === true || (effect?.isMasked === false && wasMasked);
    if (this.#layers === 0 || !isMask) return;
    this.#setsMasks ||= this.#open.some((before) => before !== null && before >= saves);
  }

  outcome(): InLayers {
    return { draws: this.#draws, setsMasks: this.#setsMasks };
  }
}
