import type { WorkerPool } from "../engine/pool.ts";
import type { Sealed, Sealing, Stamp } from "../port.ts";
import { encodeCms, signDigest } from "./cms.ts";
import { fill, type Prepared } from "./field.ts";

/** What a CMS takes beside its certificates. */
const CMS_BYTES = 1_024;

/**
 * Stamps and seals a document: PAdES baseline (ETSI EN 319 142-1). One seal for a document that carried no
 * signature; else one for each stamp, since each is the appearance of a field of its own.
 */
export async function seal(
  pool: WorkerPool,
  bytes: Uint8Array,
  stamps: readonly Stamp[],
  sealing: Sealing,
): Promise<Sealed> {
  const { identity } = sealing;
  const certificateBytes = [identity.certificate, ...identity.issuers].reduce((sum, { length }) => sum + length, 0);
  const contentsBytes = CMS_BYTES + certificateBytes;
  let current = bytes;
  let left = stamps;
  do {
    const prepared = await pool.run({
      kind: "prepareSeal",
      bytes: current,
      stamps: left,
      contentsBytes,
      entries: {
        type: "Sig",
        subFilter: "ETSI.CAdES.detached",
        claimedAt: sealing.sealedAt,
        reason: sealing.reason ?? null,
      },
    });
    current = await sealPrepared(prepared, sealing);
    left = prepared.left;
  } while (left.length > 0);
  return { bytes: current, level: "B-B", certificateSha256: identity.certificateSha256 };
}

async function sealPrepared(prepared: Prepared, { identity }: Sealing): Promise<Uint8Array> {
  const parts = await signDigest(identity, prepared.digest);
  fill(prepared, encodeCms(parts));
  return prepared.bytes;
}
