import { stepOf } from "@rubrica/commands";
import {
  augmentationAt,
  hasTimestampExpired,
  recordAugmentationFailed,
  recordAugmented,
  type Seal,
} from "@rubrica/domain";
import { CertificateRevoked, TimestampFailed, ValidationDataMissing } from "@rubrica/pdf";
import { isoTime } from "@rubrica/runtime";
import { recordedTimestamp, type SealingDependencies } from "./sealing.ts";
import { contextOf, LONG_WORK_MS, type Subscriber } from "./subscriber.ts";

// The processor's work, as with sealing. And a timestamp authority is asked by few at a time, however many timestamps
// are to be renewed.
const CONCURRENCY = 2;

/** Why a seal is not augmented, by the name that its event gives. */
class Unaugmentable extends Error {
  override name = "Unaugmentable";
  readonly reason: string;
  /** Whether it can never be. */
  readonly isFinal: boolean;

  constructor(reason: string, isFinal: boolean) {
    super(reason);
    this.reason = reason;
    this.isFinal = isFinal;
  }
}

/** Complete seals that fell short of their level, and renew the timestamps that prove them. */
export const augmentingSubscribers = (dependencies: SealingDependencies): Subscriber[] =>
  (
    [
      ["complete-seal", "complete"],
      ["renew-timestamp", "renew"],
    ] as const
  ).map(([kind, augmentation]) => ({
    kind,
    concurrency: CONCURRENCY,
    longestMs: LONG_WORK_MS,
    async meet(published) {
      const { handlers, runtime } = dependencies;
      const { documentId, accountId } = published;
      const owed = augmentationAt(await handlers.documents.load(documentId), runtime.clock.now());
      if (owed?.kind !== augmentation) return;
      const context = contextOf(published, "sealing");
      try {
        const augmented = await augment(dependencies, { documentId, accountId, ...owed });
        await handlers.documents.handle(documentId, recordAugmented, augmented, stepOf(context, "augmented"));
      } catch (error) {
        const failure = {
          kind: owed.kind,
          attempt: owed.seal.failures + 1,
          ...causeOf(error),
          now: runtime.clock.now(),
          jitter: runtime.random.fraction(),
        };
        const step = stepOf(context, "failed", failure.attempt);
        await handlers.documents.handle(documentId, recordAugmentationFailed, failure, step);
        throw error;
      }
    },
  }));

const augment = async (
  { files, pdf, identity, timestamps, renewTimestamps, runtime }: SealingDependencies,
  {
    documentId,
    accountId,
    kind,
    seal,
  }: { documentId: string; accountId: string; kind: "complete" | "renew"; seal: Seal },
) => {
  // An operator who switched it off may switch it on again before it is too late.
  if (!renewTimestamps || !timestamps) throw new Unaugmentable("switched_off", false);
  if (kind === "renew" && hasTimestampExpired(seal, runtime.clock.now()))
    throw new Unaugmentable("timestamp_ended", true);
  const { certificateSha256 } = seal;
  const bytes = await files.get(documentId, seal.file.sha256);
  const augmentation = { kind, certificateSha256, identity, timestamps };
  const augmented = await pdf.augment(bytes, augmentation, `account:${accountId}`);
  const { level, shortfall, isShortfallTemporary, timestamp, provenUntil } = augmented;
  return {
    from: seal.file.sha256,
    kind,
    file: await files.put(documentId, augmented.bytes, "application/pdf"),
    level,
    shortfall,
    toComplete: isShortfallTemporary,
    timestamp: recordedTimestamp(timestamp),
    provenUntil: isoTime(provenUntil),
  };
};

/** What the record says of a failure. What a revoked certificate proved is lost: no later timestamp brings it back. */
const causeOf = (error: unknown): { reason: string; isFinal: boolean } => {
  if (error instanceof Unaugmentable) return { reason: error.reason, isFinal: error.isFinal };
  if (error instanceof CertificateRevoked) return { reason: "certificate_revoked", isFinal: true };
  if (error instanceof ValidationDataMissing) return { reason: "validation_data_missing", isFinal: false };
  return { reason: error instanceof TimestampFailed ? "timestamp_unavailable" : "augmenting_failed", isFinal: false };
};
