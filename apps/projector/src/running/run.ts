import type { Position } from "@rubrica/event-store";
import { type Collection, lowestCheckpoint, OvertakenError, StaleGenerationError } from "@rubrica/read-models";
import { type Backoff, backoffMs } from "@rubrica/runtime";
import { applyBatch } from "./apply-batch.ts";
import { byCheckpoint, FollowingGroup, openPasses } from "./following-group.ts";
import type { ProjectionBatch, ProjectionPass } from "./projection-pass.ts";
import type { ProjectionRunnerOptions } from "./runner.ts";
import type { StoppedProjections } from "./stopped-projections.ts";

const BACKOFF: Backoff = { firstMs: 100, longestMs: 10_000 };

/** The groups of one run of a runner. */
export class Run<Event extends { position: Position }> {
  readonly #options: ProjectionRunnerOptions<Event>;
  readonly #stopped: StoppedProjections;
  readonly #signal: AbortSignal;
  readonly #onCaughtUp: (projection: Collection) => void;
  readonly #groups = new Set<FollowingGroup<Event>>();
  readonly #underWay = new Set<Promise<void>>();
  /** The projections that have caught up once. */
  readonly #caughtUp = new Set<string>();

  constructor(
    options: ProjectionRunnerOptions<Event>,
    stopped: StoppedProjections,
    signal: AbortSignal,
    onCaughtUp: (projection: Collection) => void,
  ) {
    this.#options = options;
    this.#stopped = stopped;
    this.#signal = signal;
    this.#onCaughtUp = onCaughtUp;
  }

  async untilAborted(): Promise<void> {
    this.#launch(new FollowingGroup(this.#options.projections));
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #launch(group: FollowingGroup<Event>): void {
    this.#groups.add(group);
    const underWay = this.#lead(group).finally(() => {
      this.#groups.delete(group);
      this.#underWay.delete(underWay);
    });
    this.#underWay.add(underWay);
  }

  /**
   * Follows events with a group until no projection is left in it, from the checkpoints again after each failure. Never
   * rejects.
   */
  async #lead(group: FollowingGroup<Event>): Promise<void> {
    const { clock } = this.#options;
    while (group.projections.length > 0) {
      if (group.failures > 0) await clock.wait(backoffMs(group.failures, BACKOFF), { signal: this.#signal });
      if (this.#signal.aborted) return;
      try {
        await this.#follow(group);
        if (this.#signal.aborted) return;
      } catch (error) {
        this.#fail(group, error);
      }
      group.arrived(false);
    }
  }

  #fail(group: FollowingGroup<Event>, error: unknown): void {
    group.failures += 1;
    // What ends because it is to end is no failure.
    if (this.#signal.aborted) return;
    this.#stopped.stopped(
      group.projections.map(({ name }) => name),
      error,
    );
  }

  /**
   * One subscription of a group, until no projection is left in it or the signal is aborted. @throws when it ends
   * otherwise.
   */
  async #follow(group: FollowingGroup<Event>): Promise<void> {
    const { subscribe, beforeApply } = this.#options;
    const after = await this.#setOut(group);
    for await (const batch of subscribe(after, this.#signal)) {
      await beforeApply?.();
      await this.#take(group, batch);
      if (group.projections.length === 0 || this.#signal.aborted) return;
      if (batch.caughtUp && this.#joinAnother(group)) return;
    }
    if (!this.#signal.aborted) throw new Error("the subscription ended by itself");
  }

  /**
   * Opens the passes, and gives the checkpoint that they start from. Passes with another checkpoint, or that can't be
   * opened, get a group of their own.
   */
  async #setOut(group: FollowingGroup<Event>): Promise<Position | undefined> {
    const { passes, failures } = await openPasses(this.#options.store, group.projections);
    const [furthest, ...others] = byCheckpoint(passes);
    if (!furthest) for (const error of failures.values()) throw error;
    for (const [projection, error] of failures) this.#goAlone([projection], error);
    for (const behind of others) this.#launch(new FollowingGroup(behind.map(({ projection }) => projection)));
    const after = lowestCheckpoint(furthest ?? []);
    group.setOut(furthest ?? [], after);
    return after;
  }

  #goAlone(projections: FollowingGroup<Event>["projections"], error: unknown): void {
    const group = new FollowingGroup(projections);
    this.#fail(group, error);
    this.#launch(group);
  }

  /** Applies a batch. Those that fail leave the group; when all fail with one error, that is thrown. */
  async #take(group: FollowingGroup<Event>, batch: ProjectionBatch<Event>): Promise<void> {
    const { store, onChanged, onApplied } = this.#options;
    const takers = group.takers(batch.position);
    const { changed, failures } = await applyBatch(store, takers, batch);
    for (const { pass, changes } of changed) if (changes.length > 0) onChanged?.(pass.projection.name, changes);
    const failed = takers.filter((pass) => failures.has(pass));
    this.#sendAway(group, failed, failures);
    if (failed.length < takers.length) this.#goesOn(group, takers, failures, batch);
    onApplied?.();
  }

  #sendAway(
    group: FollowingGroup<Event>,
    failed: readonly ProjectionPass<Event>[],
    failures: ReadonlyMap<ProjectionPass<Event>, unknown>,
  ): void {
    const overtaken = failed.filter((pass) => isOvertaken(failures.get(pass)));
    const stopped = failed.filter((pass) => !overtaken.includes(pass));
    const [error, ...others] = new Set(stopped.map((pass) => failures.get(pass)));
    // A failure that stops all of them is one failure.
    if (stopped.length > 0 && stopped.length === group.projections.length && others.length === 0) throw error;
    group.leave(new Set(failed));
    for (const pass of stopped) this.#goAlone([pass.projection], failures.get(pass));
    for (const { projection } of overtaken) this.#launch(new FollowingGroup([projection]));
  }

  #goesOn(
    group: FollowingGroup<Event>,
    takers: readonly ProjectionPass<Event>[],
    failures: ReadonlyMap<ProjectionPass<Event>, unknown>,
    { caughtUp }: ProjectionBatch<Event>,
  ): void {
    group.failures = 0;
    group.arrived(caughtUp);
    const projections = takers.filter((pass) => !failures.has(pass)).map(({ projection }) => projection);
    this.#stopped.resumed(projections.map(({ name }) => name));
    if (!caughtUp) return;
    for (const projection of projections) this.#hasCaughtUp(projection);
  }

  #hasCaughtUp(projection: Collection): void {
    if (this.#caughtUp.has(projection.name)) return;
    this.#caughtUp.add(projection.name);
    this.#onCaughtUp(projection);
    if (this.#options.mayDropLower?.() === false) return;
    // Not awaited: many rows may have to go. If it fails, the next start does it.
    this.#options.store.dropLowerVersions(projection).catch(() => {});
  }

  #joinAnother(group: FollowingGroup<Event>): boolean {
    return [...this.#groups].some((other) => other !== group && group.join(other));
  }
}

/** Whether what is kept went on without this pass: by a rebuild, or by another runner. */
const isOvertaken = (error: unknown): boolean =>
  error instanceof StaleGenerationError || error instanceof OvertakenError;
