// Parts of the bench, one after the other, so that none ends the run: not by failing, nor by what fails beside it.
import { type Extent, type Row, runtime } from "./measure.ts";
import type { ResultsFile } from "./results.ts";

const { clock } = runtime;
/** How long a part may go on after something beside it failed: what it waits for may never come. */
const PATIENCE_MS = 30_000;

/** Its name is what it is told by. */
type Part = (extent: Extent) => Promise<Row | Row[]>;

/** Failures that nobody waits for, such as of a promise that is looked at later; without a listener each ends the process. */
class StrayFailures implements Disposable {
  #since = Promise.withResolvers<void>();
  #first: { error: unknown } | undefined;
  readonly #listener = (error: unknown): void => {
    console.error("  failed, beside what was waited for:", error);
    this.#first ??= { error };
    this.#since.resolve();
  };

  constructor() {
    process.on("uncaughtException", this.#listener);
  }

  /** What work gives. @throws what failed beside it, when the work is done or is given up. */
  async during<Result>(work: Promise<Result>, patienceMs: number): Promise<Result> {
    const ending = new AbortController();
    const givenUp = this.#since.promise.then(() => clock.wait(patienceMs, { signal: ending.signal }));
    try {
      const result = await Promise.race([work, givenUp]);
      // What nobody waits for is told at the end of a turn.
      await clock.wait(0);
      if (this.#first) throw this.#first.error;
      return result as Result;
    } finally {
      ending.abort();
      this.#since = Promise.withResolvers();
      this.#first = undefined;
    }
  }

  [Symbol.dispose](): void {
    process.off("uncaughtException", this.#listener);
  }
}

/** Measures one part after the other. What each gave is printed and kept when it is done; one that fails is told. */
export const runParts = async (
  parts: readonly Part[],
  extent: Extent,
  results: ResultsFile,
  patienceMs = PATIENCE_MS,
): Promise<void> => {
  using strays = new StrayFailures();
  for (const part of parts) {
    console.error(`${part.name} …`);
    try {
      const measured = [await strays.during(part(extent), patienceMs)].flat();
      for (const { what, measured: value, baseline, result } of measured) {
        console.error(`  ${what}: ${value}, against ${baseline}: ${result}`);
      }
      if (measured.length === 0) throw new Error("nothing can be measured here");
      results.add(measured);
    } catch (error) {
      results.fail(part.name);
      console.error(`  ${part.name} failed:`, error);
    }
  }
};
