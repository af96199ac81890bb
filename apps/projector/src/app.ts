import type { ObligationKind } from "@rubrica/domain";
import type { App, Host } from "@rubrica/hosting";
import { projectedChecks, projectedMeasurements } from "@rubrica/hosting/readiness";
import { NotReady, type ReadinessCheck } from "@rubrica/http";
import { type Projection, projectionsBy } from "@rubrica/read-models";
import { createLease, type Lease, type LeaseOptions, type LeaseStore } from "@rubrica/storage";
import { holderName, openFilling } from "./filling.ts";
import { type LeaseWork, openLeaseWork } from "./lease-work.ts";
import { obligationMeasurements } from "./obligation-measurements.ts";

export interface ProjectorOptions {
  /** What is published: what somebody meets. */
  kinds: readonly ObligationKind[];
  /** Awaited before each batch of events is projected: where a test puts its delay. */
  beforeProjecting?: (() => Promise<void>) | undefined;
  /** What runs in a projection's place: where a test puts one that fails. */
  inPlaceOf?: ((projection: Projection) => Projection) | undefined;
}

/**
 * Opens the projector: it keeps the read models up to date, and publishes what is owed, while the lease is its own. Another
 * one waits, fills versions that the one that works does not have, and is ready as long as all that it reads is kept up.
 */
export const openProjector = (host: Host, options: ProjectorOptions): App => {
  const { engines, runtime, logger } = host;
  const { inPlaceOf = (projection) => projection, beforeProjecting } = options;
  const projections = projectionsBy(engines.customIdHmac).map(inPlaceOf);
  const filling = openFilling(host, projections, () => leaseOf(host, engines.fillingLease, {}), beforeProjecting);
  let work: LeaseWork | undefined;
  const nothingStopped: ReadinessCheck = async () => {
    const stopped = [...(work?.stopped() ?? []), ...filling.stopped()];
    if (stopped.length > 0) throw new NotReady(stopped.map(([name, words]) => `${name} stopped: ${words}`).join(", "));
  };
  return {
    checks: { ...projectedChecks(host), projector: nothingStopped },
    measurements: { ...projectedMeasurements(host), ...obligationMeasurements(host) },
    async run(signal) {
      const lease = leaseOf(host, engines.lease, {
        holder: holderName(runtime.ids.uuidv7(), projections),
        onChange: (isHeld) => logger.info(isHeld ? "this projector works" : "this projector does not work any more"),
        onOther: (holder) => {
          // A look may outlast the run.
          if (!signal.aborted) filling.whileHeldBy(holder);
        },
      });
      await lease.run(async (ending) => {
        await filling.end();
        work = openLeaseWork(host, lease, projections, options);
        await work.run(ending);
        work = undefined;
      }, signal);
      await filling.end();
    },
  };
};

const leaseOf = (
  { runtime: { clock, ids }, logger }: Host,
  store: LeaseStore,
  options: Partial<Pick<LeaseOptions, "holder" | "onChange" | "onOther">>,
): Lease => {
  let told: string | undefined;
  return createLease({
    store,
    clock,
    holder: ids.uuidv7(),
    ...options,
    onChange: (isHeld) => {
      told = undefined;
      options.onChange?.(isHeld);
    },
    onError: (error) => {
      // It is tried every second: what stays the same is told once.
      const text = String(error);
      if (text !== told) logger.warn({ err: error }, "a lease of the projectors can't be reached; it is tried again");
      told = text;
    },
  });
};
