import type { Uses } from "./nesting.ts";

/** Counts what a content uses of its resources. */
export class Used {
  readonly #uses = new Map<string, Map<string, number>>();
  /** The name of the font that text is in. */
  #font: string | null = null;
  readonly #saved: (string | null)[] = [];

  get uses(): Uses {
    return this.#uses;
  }

  take(category: string, name: string, times = 1): void {
    const names = this.#uses.get(category) ?? new Map();
    this.#uses.set(category, names.set(name, (names.get(name) ?? 0) + times));
  }

  takeFont(name: string): void {
    this.#font = name;
    this.take("Font", name, 0);
  }

  /** Text of so many bytes, with its brackets. */
  show(bytes: number): void {
    if (this.#font !== null) this.take("Font", this.#font, bytes);
  }

  /** A state is saved, or the last one restored. */
  keep(name: string): void {
    if (name === "q") this.#saved.push(this.#font);
    else if (name === "Q") this.#font = this.#saved.pop() ?? null;
  }
}
