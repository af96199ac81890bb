import { type Handlers, stepOf } from "@rubrica/commands";
import {
  identityCheckOf,
  type Photo,
  type PhotoAttempts,
  type PhotoKind,
  type PublishedObligation,
  photoSetNumber,
  recordIdentityFailure,
  recordIdentityFindings,
  type SignerPerson,
  signerOf,
} from "@rubrica/domain";
import { type IdentityCheck, type IdentityProvider, IdentityProviderUnavailable } from "@rubrica/identity";
import { mrzAgrees } from "@rubrica/identity/mrz";
import type { CommandContext } from "@rubrica/journal";
import { isoTime, type Runtime } from "@rubrica/runtime";
import type { FileStore } from "@rubrica/storage";
import { contextOf, LONG_WORK_MS, type Subscriber, signerIdOf } from "./subscriber.ts";

// Three photos of some megabytes are in memory for each.
const CONCURRENCY = 8;

export interface IdentityDependencies {
  handlers: Handlers;
  files: FileStore;
  identityProvider: IdentityProvider;
  runtime: Runtime;
  /** Breaks off what is asked of the provider when the service stops. */
  signal: AbortSignal;
}

/** Who a signer is to the identity provider, in all checks of theirs. */
export const identitySubject = (documentId: string, signerId: string): string => `${documentId}/${signerId}`;

/** Asks the identity provider about the photos of signers, where they are validated. */
export const identitySubscriber = (dependencies: IdentityDependencies): Subscriber => ({
  kind: "check-identity",
  concurrency: CONCURRENCY,
  longestMs: LONG_WORK_MS,
  async meet(published) {
    // Photos that were taken anew while the former ones were being checked are checked as well.
    try {
      while (await checkPhotos(dependencies, published));
    } finally {
      await forgetIfErased(dependencies, published);
    }
  },
});

/**
 * The document may have been erased during the check. The provider may have had the photos only after it was asked to
 * forget the document: it is asked once more.
 */
const forgetIfErased = async (
  { handlers, identityProvider, signal }: IdentityDependencies,
  published: PublishedObligation,
): Promise<void> => {
  const { documentId } = published;
  const document = await handlers.documents.load(documentId);
  if (document.status === "none" || document.erasure === "none") return;
  await identityProvider.forget(identitySubject(documentId, signerIdOf(published)), signal);
};

/** Checks the photos as they are, and records what came of it; false when there is nothing (more) to check. */
const checkPhotos = async (dependencies: IdentityDependencies, published: PublishedObligation): Promise<boolean> => {
  const { handlers } = dependencies;
  const { documentId } = published;
  const signerId = signerIdOf(published);
  const document = await handlers.documents.load(documentId);
  const photos = identityCheckOf(document, signerId);
  if (!photos) return false;
  const { person, identityFailures } = signerOf(document, signerId);
  const context = stepOf(contextOf(published, "identity"), photoSetNumber(attemptsOf(photos)));
  const asked = { documentId, signerId, photos, failures: identityFailures };
  if (!person) {
    await recordFailure(dependencies, asked, { reason: "forgotten", permanent: true }, context);
    return false;
  }
  try {
    const findings = await findingsOf(dependencies, asked, person);
    const command = { signerId, attempts: attemptsOf(photos), ...findings };
    await handlers.documents.handle(documentId, recordIdentityFindings, command, stepOf(context, "found"));
    return true;
  } catch (error) {
    if (error instanceof IdentityProviderUnavailable) await recordFailure(dependencies, asked, error, context);
    throw error;
  }
};

/** The photos in question, and how often the provider could not be asked about them. */
interface Asked {
  documentId: string;
  signerId: string;
  photos: Record<PhotoKind, Photo>;
  failures: number;
}

const recordFailure = async (
  { handlers, identityProvider, runtime }: IdentityDependencies,
  { documentId, signerId, photos, failures }: Asked,
  { reason, permanent }: { reason: string; permanent: boolean },
  context: CommandContext,
): Promise<void> => {
  const { clock, random } = runtime;
  const attempts = attemptsOf(photos);
  const attempt = failures + 1;
  const { provider } = identityProvider;
  const when = { now: clock.now(), jitter: random.fraction() };
  const command = { signerId, provider, attempts, attempt, reason, permanent, ...when };
  const step = stepOf(context, "failed", attempt);
  await handlers.documents.handle(documentId, recordIdentityFailure, command, step);
};

const attemptsOf = (photos: Record<PhotoKind, Photo>): PhotoAttempts => ({
  selfie: photos.selfie.attempt,
  idFront: photos.idFront.attempt,
  idBack: photos.idBack.attempt,
});

/** What the identity provider found, and whether what it read agrees with who was asked to sign. */
const findingsOf = async (
  { files, identityProvider, runtime, signal }: IdentityDependencies,
  { documentId, signerId, photos }: Asked,
  person: SignerPerson,
) => {
  const subject = identitySubject(documentId, signerId);
  const check: IdentityCheck = {
    checkId: `${subject}/${photoSetNumber(attemptsOf(photos))}`,
    subject,
    person: { name: person.name, idNumber: person.idNumber, idNumberCountry: person.idNumberCountry },
    photos: {
      selfie: await photoOf(files, documentId, photos.selfie),
      idFront: await photoOf(files, documentId, photos.idFront),
      idBack: await photoOf(files, documentId, photos.idBack),
    },
  };
  const verdict = await identityProvider.check(check, signal);
  const { selfie, idFront, idBack, documentError, rejection } = verdict;
  const { name, simulated } = identityProvider.provider;
  const provider = { name, simulated: simulated || verdict.simulated };
  const mrz = verdict.mrz && mrzAgrees(verdict.mrz, check.person, isoTime(runtime.clock.now()).slice(0, 10));
  return { provider, photos: { selfie, idFront, idBack }, mrz, documentError, rejection };
};

const photoOf = async (files: FileStore, documentId: string, { attempt, file }: Photo) => ({
  attempt,
  jpeg: await files.get(documentId, file.sha256),
});
