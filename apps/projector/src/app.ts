import type { ObligationKind } from "@rubrica/domain";
import type { App, Host } from "@rubrica/hosting";
import { projectedChecks, projectedMeasurements } from "@rubrica/hosting/readiness";
import { NotReady, type ReadinessCheck } from "@rubrica/http";
import type { Projection } from "@rubrica/read-models";
import { createLease, type Lease } from "@rubrica/storage";
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
 * one waits, and is ready as long as that one keeps up.
 */
export const openProjector = (host: Host, options: ProjectorOptions): App => {
  const lease = leaseOf(host);
  let work: LeaseWork | undefined;
  const nothingStopped: ReadinessCheck = async () => {
    const reasons = [...(work?.stopped() ?? [])].map(([name, words]) => `${name} stopped: ${words}`);
    if (reasons.length > 0) throw new NotReady(reasons.join(", "));
  };
  return {
    checks: { ...projectedChecks(host), projector: nothingStopped },
    measurements: { ...projectedMeasurements(host), ...obligationMeasurements(host) },
    run: (signal) =>
      lease.run(async (ending) => {
        work = openLeaseWork(host, lease, options);
        await work.run(ending);
        work = undefined;
      }, signal),
  };
};

const leaseOf = ({ engines, runtime: { clock, ids }, logger }: Host): Lease => {
  let told: string | undefined;
  return createLease({
    store: engines.lease,
    clock,
    holder: ids.uuidv7(),
    onChange: (isHeld) => {
      told = undefined;
      logger.info(isHeld ? "this projector works" : "this projector does not work any more");
    },
    onError: (error) => {
      // It is tried every second: what stays the same is told once.
      const text = String(error);
      if (text !== told) logger.warn({ err: error }, "the projectors' lease can't be reached; it is tried again");
      told = text;
    },
  });
};
