import type { Host } from "@rubrica/hosting";
import type { MessageBus } from "@rubrica/message-bus";
import { obligationsCollections, type Projection } from "@rubrica/read-models";
import type { Lease } from "@rubrica/storage";
import type { ProjectorOptions } from "./app.ts";
import { createObligationPublisher } from "./obligation-publisher.ts";
import { openProjecting } from "./projecting.ts";
import { takeUpMended } from "./take-up-mended.ts";

/** What a projector does for as long as the lease is its own. */
export interface LeaseWork {
  /** Why each projection that is stopped is. */
  stopped(): ReadonlyMap<string, string>;
  /** To be called once. */
  run(signal: AbortSignal): Promise<void>;
}

/** This process has lost the lease: another one publishes what is due. */
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
  projections: readonly Projection[],
  { kinds, beforeProjecting }: Pick<ProjectorOptions, "kinds" | "beforeProjecting">,
): LeaseWork => {
  const { runtime, logger, engines } = host;
  const projecting = openProjecting(host, projections, {
    ...(beforeProjecting ? { beforeApply: beforeProjecting } : {}),
    mayDropLower: () => lease.isHeld(),
    onChanged: (projection, changes) => publisher.changed(projection, changes),
  });
  const publisher = createObligationPublisher({
    readModels: engines.readModels,
    bus: publishingWhileHeld(engines.bus, lease),
    runtime,
    caughtUp: projecting.caughtUp(obligationsCollections),
    onError: (error) => {
      if (!(error instanceof LeaseLost))
        logger.error({ err: error }, "publishing obligations failed; it is tried again");
    },
  });
  return {
    stopped: projecting.stopped,
    async run(signal) {
      await Promise.all([projecting.run(signal), publisher.run(kinds, signal), takeUpMended(host, signal)]);
    },
  };
};
