import type { Position } from "@rubrica/event-store";
import { type Collection, lowestCheckpoint, OvertakenError, StaleGenerationError } from "@rubrica/read-models";
import { applyBatch } from "./apply-batch.ts";
import { byCheckpoint, Convoy, openFolds } from "./convoy.ts";
import type { Fold, ProjectionBatch } from "./fold.ts";
import type { ProjectionRunnerOptions } from "./runner.ts";
import type { Troubles } from "./troubles.ts";

const FIRST_RETRY_MS = 100;
const MAX_RETRY_MS = 10_000;

/** The convoys of one run of a runner. */
export class Run<Event extends { position: Position }> {
  readonly #options: ProjectionRunnerOptions<Event>;
  readonly #troubles: Troubles;
  readonly #signal: AbortSignal;
  readonly #onCaughtUp: (projection: Collection) => void;
  readonly #convoys = new Set<Convoy<Event>>();
  readonly #underWay = new Set<Promise<void>>();
  /** Those that have caught up once. */
  readonly #caughtUp = new Set<string>();

  constructor(
    options: ProjectionRunnerOptions<Event>,
    troubles: Troubles,
    signal: AbortSignal,
    onCaughtUp: (projection: Collection) => void,
  ) {
    this.#options = options;
    this.#troubles = troubles;
    this.#signal = signal;
    this.#onCaughtUp = onCaughtUp;
  }

  async untilAborted(): Promise<void> {
    this.#launch(new Convoy(this.#options.projections));
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #launch(convoy: Convoy<Event>): void {
    this.#convoys.add(convoy);
    const underWay = this.#lead(convoy).finally(() => {
      this.#convoys.delete(convoy);
      this.#underWay.delete(underWay);
    });
    this.#underWay.add(underWay);
  }

  /** Leads a convoy until nobody is left in it, from the checkpoints again after each failure. Never rejects. */
  async #lead(convoy: Convoy<Event>): Promise<void> {
    const { clock } = this.#options;
    while (convoy.projections.length > 0) {
      if (convoy.failures > 0)
        await clock.wait(Math.min(FIRST_RETRY_MS * 2 ** (convoy.failures - 1), MAX_RETRY_MS), { signal: this.#signal });
      if (this.#signal.aborted) return;
      try {
        await this.#follow(convoy);
        if (this.#signal.aborted) return;
      } catch (error) {
        this.#fail(convoy, error);
      }
      convoy.arrived(false);
    }
  }

  #fail(convoy: Convoy<Event>, error: unknown): void {
    convoy.failures += 1;
    // What ends because it is to end is no trouble.
    if (this.#signal.aborted) return;
    this.#troubles.stopped(
      convoy.projections.map(({ name }) => name),
      error,
    );
  }

  /** One subscription of a convoy, until nobody is left in it or the signal is aborted; by everything else it throws. */
  async #follow(convoy: Convoy<Event>): Promise<void> {
    const { subscribe, beforeApply } = this.#options;
    const after = await this.#setOut(convoy);
    for await (const batch of subscribe(after, this.#signal)) {
      await beforeApply?.();
      await this.#take(convoy, batch);
      if (convoy.projections.length === 0 || this.#signal.aborted) return;
      if (batch.caughtUp && this.#joinAnother(convoy)) return;
    }
    if (!this.#signal.aborted) throw new Error("the subscription ended by itself");
  }

  /** Opens the folds, and gives where they stand. Those that stand elsewhere, or can't be opened, go by themselves. */
  async #setOut(convoy: Convoy<Event>): Promise<Position | undefined> {
    const { folds, failures } = await openFolds(this.#options.store, convoy.projections);
    const [furthest, ...others] = byCheckpoint(folds);
    if (!furthest) for (const error of failures.values()) throw error;
    for (const [projection, error] of failures) this.#goAlone([projection], error);
    for (const group of others) this.#launch(new Convoy(group.map(({ projection }) => projection)));
    const after = lowestCheckpoint(furthest ?? []);
    convoy.setOut(furthest ?? [], after);
    return after;
  }

  #goAlone(projections: Convoy<Event>["projections"], error: unknown): void {
    const convoy = new Convoy(projections);
    this.#fail(convoy, error);
    this.#launch(convoy);
  }

  /** Applies a batch. Those that fail leave the convoy; when all do by the same, it is thrown. */
  async #take(convoy: Convoy<Event>, batch: ProjectionBatch<Event>): Promise<void> {
    const { store, onChanged, onApplied } = this.#options;
    const takers = convoy.takers(batch.position);
    const { changed, failures } = await applyBatch(store, takers, batch);
    for (const { fold, changes } of changed) if (changes.length > 0) onChanged?.(fold.projection.name, changes);
    const failed = takers.filter((fold) => failures.has(fold));
    this.#sendAway(convoy, failed, failures);
    if (failed.length < takers.length) this.#goesOn(convoy, takers, failures, batch);
    onApplied?.();
  }

  #sendAway(convoy: Convoy<Event>, failed: readonly Fold<Event>[], failures: ReadonlyMap<Fold<Event>, unknown>): void {
    const overtaken = failed.filter((fold) => isOvertaken(failures.get(fold)));
    const stopped = failed.filter((fold) => !overtaken.includes(fold));
    const [error, ...others] = new Set(stopped.map((fold) => failures.get(fold)));
    // What stops all of them stays one failure.
    if (stopped.length > 0 && stopped.length === convoy.projections.length && others.length === 0) throw error;
    convoy.leave(new Set(failed));
    for (const fold of stopped) this.#goAlone([fold.projection], failures.get(fold));
    for (const { projection } of overtaken) this.#launch(new Convoy([projection]));
  }

  #goesOn(
    convoy: Convoy<Event>,
    takers: readonly Fold<Event>[],
    failures: ReadonlyMap<Fold<Event>, unknown>,
    { caughtUp }: ProjectionBatch<Event>,
  ): void {
    convoy.failures = 0;
    convoy.arrived(caughtUp);
    const projections = takers.filter((fold) => !failures.has(fold)).map(({ projection }) => projection);
    this.#troubles.resumed(projections.map(({ name }) => name));
    if (!caughtUp) return;
    for (const projection of projections) this.#hasCaughtUp(projection);
  }

  #hasCaughtUp(projection: Collection): void {
    if (this.#caughtUp.has(projection.name)) return;
    this.#caughtUp.add(projection.name);
    this.#onCaughtUp(projection);
    // Beside all else: many rows may have to go. What fails is done by the next start.
    this.#options.store.dropLowerVersions(projection).catch(() => {});
  }

  #joinAnother(convoy: Convoy<Event>): boolean {
    return [...this.#convoys].some((other) => other !== convoy && convoy.join(other));
  }
}

/** Whether what is kept went on without this fold: by a rebuild, or by another runner. */
const isOvertaken = (error: unknown): boolean =>
  error instanceof StaleGenerationError || error instanceof OvertakenError;
