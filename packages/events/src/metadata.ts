import { z } from "zod";
import { IsoTime, Sha256 } from "./shared.ts";

/** What every event carries beside its content. What a newer version adds is kept: the event's hash covers it. */
export const EventMetadata = z.looseObject({
  eventId: z.uuid(),
  /** Whose it is; a team member's read goes by it. */
  accountId: z.string().max(64),
  /** When it was decided; never goes back within a stream. */
  at: IsoTime,
  /** Who caused it: `integrator`, `signer`, `operator`, `provider` or `service/{subscriber}`. */
  actor: z.string().max(100),
  /** The request or obligation that everything which follows from it shares. */
  correlationId: z.string().max(200),
  /** The event or request that led to this one. */
  causationId: z.string().max(200),
  schemaVersion: z.int().positive(),
  /** The chain: see `hash-chain.ts`. */
  hash: Sha256,
  previousHash: Sha256,
});
export type EventMetadata = z.infer<typeof EventMetadata>;
