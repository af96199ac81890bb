/** How many bytes a program's glyphs may take with their routines, as often as these are called. */
export class Steps {
  #left: number;
  /** @param length of the program: honest ones take some four times as many */
  constructor(length: number) {
    this.#left = 16_384 + length * 32;
  }

  /** False where there are none left. */
  take(): boolean {
    this.#left -= 1;
    return this.#left >= 0;
  }
}
