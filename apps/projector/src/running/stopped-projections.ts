import { reasonOf } from "@rubrica/storage/sqlite/failure";
import { ProjectionError } from "./projection-pass.ts";

/** Which projections are stopped, and by what: told of once, not with each time that they are tried again. */
export class StoppedProjections {
  readonly #onStopped: (error: unknown, projections: readonly string[]) => void;
  readonly #onResumed: (projections: readonly string[]) => void;
  readonly #stopped = new Map<string, { error: unknown; text: string }>();

  constructor(
    onStopped: (error: unknown, projections: readonly string[]) => void,
    onResumed: (projections: readonly string[]) => void,
  ) {
    this.#onStopped = onStopped;
    this.#onResumed = onResumed;
  }

  /** Takes note of what stopped these. */
  stopped(projections: readonly string[], error: unknown): void {
    const text = textOf(error);
    const changed = projections.filter((name) => this.#stopped.get(name)?.text !== text);
    for (const name of projections) this.#stopped.set(name, { error, text });
    if (changed.length > 0) this.#onStopped(error, changed);
  }

  /** Takes note that these go on. */
  resumed(projections: readonly string[]): void {
    const changed = projections.filter((name) => this.#stopped.delete(name));
    if (changed.length > 0) this.#onResumed(changed);
  }

  /** Why each one that is stopped is, in words that show nothing of what is stored. */
  get words(): ReadonlyMap<string, string> {
    return new Map([...this.#stopped].map(([name, { error }]) => [name, wordsOf(error)]));
  }
}

const textOf = (error: unknown): string => {
  const cause = error instanceof ProjectionError ? error.cause : error;
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
};

const wordsOf = (error: unknown): string =>
  error instanceof ProjectionError
    ? "its code fails at an event"
    : (reasonOf(error)?.words ?? "what it reads or writes fails");
