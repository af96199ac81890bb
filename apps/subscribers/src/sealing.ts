import { type Handlers, stepOf } from "@rubrica/commands";
import { type CompletedDocument, recordSealed, recordSealingFailed, TIMESTAMP_ATTEMPTS } from "@rubrica/domain";
import {
  CertificateRevoked,
  type PdfEngine,
  PdfRefused,
  type SigningIdentity,
  type Stamp,
  TimestampFailed,
  type Timestamps,
} from "@rubrica/pdf";
import { isoTime, type Runtime } from "@rubrica/runtime";
import type { FileStore } from "@rubrica/storage";
import { contextOf, LONG_WORK_MS, type Subscriber } from "./subscriber.ts";

// Sealing is the processor's work: more at a time than there are workers gains nothing.
const CONCURRENCY = 4;
/** A certificate's names can be as long as its maker likes. */
const MAX_AUTHORITY_LENGTH = 500;

export interface SealingDependencies {
  handlers: Handlers;
  files: FileStore;
  pdf: PdfEngine;
  identity: SigningIdentity;
  /** Where timestamps come from; undefined: seals carry none. */
  timestamps: Timestamps | undefined;
  runtime: Runtime;
  /** Whether signers who were reached by message are told where the signed copy is. */
  signedCopies: boolean;
  /** Whether what a seal lacks is made up later, and its timestamps are renewed. */
  renewTimestamps: boolean;
}

/** Stamps and seals documents that every signer has signed. */
export const sealingSubscriber = (dependencies: SealingDependencies): Subscriber => ({
  kind: "seal",
  concurrency: CONCURRENCY,
  longestMs: LONG_WORK_MS,
  async meet(published) {
    const { handlers } = dependencies;
    const document = await handlers.documents.load(published.documentId);
    if (document.status !== "completed" || document.seal) return;
    const context = contextOf(published, "sealing");
    const failed = async (error: unknown): Promise<never> => {
      const failure = {
        attempt: document.sealingAttempts + 1,
        reason: reasonOf(error),
        now: dependencies.runtime.clock.now(),
        jitter: dependencies.runtime.random.fraction(),
      };
      const step = stepOf(context, "failed", failure.attempt);
      await handlers.documents.handle(published.documentId, recordSealingFailed, failure, step);
      throw error;
    };
    // That it can't be recorded is no failure of sealing: it is sealed again when this comes again.
    const sealed = await sealTimestamped(dependencies, document).catch(failed);
    await handlers.documents.handle(published.documentId, recordSealed, sealed, stepOf(context, "sealed"));
  },
});

/** What the record says of a failure. */
const reasonOf = (error: unknown): string => {
  if (error instanceof PdfRefused) return error.reason;
  if (error instanceof CertificateRevoked) return "certificate_revoked";
  return error instanceof TimestampFailed ? "timestamp_unavailable" : "sealing_failed";
};

/**
 * Seals with a timestamp, where there is an authority for it. If that gives none, it is a failure; but where
 * `TIMESTAMP_ATTEMPTS` attempts failed before (by whatever), and RENEW_TIMESTAMPS has the timestamp added later, the
 * document is sealed without.
 */
const sealTimestamped = async (dependencies: SealingDependencies, document: CompletedDocument) => {
  try {
    return await seal(dependencies, document);
  } catch (error) {
    const isHeldUp = error instanceof TimestampFailed && document.sealingAttempts >= TIMESTAMP_ATTEMPTS;
    if (!isHeldUp || !dependencies.renewTimestamps) throw error;
    const bare = await seal({ ...dependencies, timestamps: undefined }, document);
    return { ...bare, shortfall: "no timestamp authority gave a timestamp", toComplete: true };
  }
};

const seal = async (
  { files, pdf, identity, timestamps, runtime, signedCopies: sendCopies, renewTimestamps }: SealingDependencies,
  document: CompletedDocument,
) => {
  const { documentId } = document;
  const bytes = await files.get(documentId, document.file.sha256);
  const sealed = await pdf.stampAndSeal(
    bytes,
    await stampsOf(files, document),
    {
      identity,
      sealedAt: runtime.clock.now(),
      named: { kind: "document", id: documentId },
      ...(timestamps ? { timestamps } : {}),
    },
    `account:${document.accountId}`,
  );
  const file = await files.put(documentId, sealed.bytes, "application/pdf");
  const { level, shortfall, certificateSha256, timestamp, isShortfallTemporary, provenUntil } = sealed;
  return {
    file,
    level,
    shortfall,
    certificateSha256,
    sendCopies,
    toComplete: renewTimestamps && isShortfallTemporary,
    provenUntil: renewTimestamps && provenUntil !== null ? isoTime(provenUntil) : null,
    ownAuthority: identity.authority !== null,
    timestamp: timestamp && recordedTimestamp(timestamp),
  };
};

/** A timestamp as its event has it. */
export const recordedTimestamp = ({ at, authority }: { at: number; authority: string }) => ({
  at: isoTime(at),
  authority: authority.slice(0, MAX_AUTHORITY_LENGTH),
});

/** The signers' visible signatures, in signing order. */
const stampsOf = (files: FileStore, { documentId, signers }: CompletedDocument): Promise<Stamp[]> =>
  Promise.all(
    signers
      .toSorted((a, b) => a.order - b.order)
      .map(async ({ person, signature, placement }) => {
        if (!person || !signature?.at) throw new Error("a signer of a completed document is not known");
        return {
          placement,
          drawing: await files.get(documentId, signature.drawing.sha256),
          name: person.name,
          idNumber: person.idNumber,
          signedAt: Date.parse(signature.at),
          timeZone: signature.timeZone,
          documentId,
        };
      }),
  );
