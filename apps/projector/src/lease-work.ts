import type { Host } from "@rubrica/hosting";
import type { JournalEvent } from "@rubrica/journal";
import type { MessageBus } from "@rubrica/message-bus";
import { owingCollections, type Projection, projectionsBy } from "@rubrica/read-models";
import type { Lease } from "@rubrica/storage";
import type { ProjectorOptions } from "./app.ts";
import { createObligationPublisher } from "./obligation-publisher.ts";
import { createProjectionRunner, gathered, type ProjectionSource } from "./running/index.ts";
import { takeUpMended } from "./take-up-mended.ts";

/** What a projector does for as long as the lease is its own. */
export interface LeaseWork {
  /** Why each projection that is stopped is. */
  stopped(): ReadonlyMap<string, string>;
  /** To be called once. */
  run(signal: AbortSignal): Promise<void>;
}

/** The lease went to another process since the work began: it publishes what is due. */
export class LeaseLost extends Error {
  constructor() {
    super("another projector publishes");
    this.name = "LeaseLost";
  }
}

/**
 * A bus that takes what is published while the lease is held, by what is known at that moment. Read models need no such
 * guard: each write is guarded by its position, and every projector comes to the same.
 */
export const publishingWhileHeld = (
  bus: Pick<MessageBus, "publish">,
  lease: Pick<Lease, "isHeld">,
): Pick<MessageBus, "publish"> => ({
  async publish(message) {
    if (!lease.isHeld()) throw new LeaseLost();
    await bus.publish(message);
  },
});

/** Opens the work of one holding of the lease. */
export const openLeaseWork = (
  host: Host,
  lease: Pick<Lease, "isHeld">,
  { kinds, beforeProjecting, inPlaceOf = (projection) => projection }: ProjectorOptions,
): LeaseWork => {
  const { runtime, logger, engines } = host;
  const { journal, readModels, freshness, bus, customIdHmac } = engines;
  const source: ProjectionSource<JournalEvent> = (after, signal) => journal.subscribe({ after, signal });
  const runnerOf = (projections: readonly Projection[], subscribe: typeof source) =>
    createProjectionRunner<JournalEvent>({
      projections: projections.map(inPlaceOf),
      store: readModels,
      subscribe,
      clock: runtime.clock,
      onStopped: (error, stopped) =>
        logger.error({ err: error, projections: stopped }, "projections stopped; they are tried again"),
      onResumed: (resumed) => logger.info({ projections: resumed }, "projections go on"),
      onApplied: () => freshness.lookNow(),
      onChanged: (projection, changes) => publisher.changed(projection, changes),
      ...(beforeProjecting ? { beforeApply: beforeProjecting } : {}),
    });
  const all = projectionsBy(customIdHmac);
  const runner = runnerOf(
    all.filter((projection) => !projection.gathered),
    source,
  );
  const gathering = runnerOf(
    all.filter((projection) => projection.gathered),
    gathered(source, runtime.clock),
  );
  const publisher = createObligationPublisher({
    readModels,
    bus: publishingWhileHeld(bus, lease),
    runtime,
    caughtUp: runner.caughtUp(owingCollections),
    onError: (error) => {
      if (!(error instanceof LeaseLost))
        logger.error({ err: error }, "publishing obligations failed; it is tried again");
    },
  });
  return {
    stopped: () => new Map([...runner.stopped(), ...gathering.stopped()]),
    async run(signal) {
      await Promise.all([
        runner.run(signal),
        gathering.run(signal),
        publisher.run(kinds, signal),
        takeUpMended(host, signal),
      ]);
    },
  };
};
