import type { Uses } from "./nesting.ts";

interface State {
  /** The name of the font that text is in. */
  font: string | null;
  /** Whether what is drawn is seen through. */
  isClear: boolean;
}

/** Counts what a content uses of its resources, and what of it while that is seen through. */
export class Used {
  readonly #uses = new Map<string, Map<string, number>>();
  readonly #clear = new Map<string, Set<string>>();
  #state: State = { font: null, isClear: false };
  readonly #saved: State[] = [];

  get uses(): Uses {
    return this.#uses;
  }

  /** Fonts and forms that were used so. */
  get clear(): ReadonlyMap<string, ReadonlySet<string>> {
    return this.#clear;
  }

  take(category: string, name: string, times = 1): void {
    const names = this.#uses.get(category) ?? new Map();
    this.#uses.set(category, names.set(name, (names.get(name) ?? 0) + times));
    if (this.#state.isClear && times > 0) this.#clear.set(category, (this.#clear.get(category) ?? new Set()).add(name));
  }

  takeFont(font: string): void {
    this.#state = { ...this.#state, font };
    this.take("Font", font, 0);
  }

  /** A graphics state says whether what comes is seen through, or does not say it. */
  takeState(isClear: boolean | undefined): void {
    if (isClear !== undefined) this.#state = { ...this.#state, isClear };
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
