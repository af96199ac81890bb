import { type Handlers, stepOf } from "@rubrica/commands";
import { type ConcludedDocument, recordEvidence, recordEvidenceFailure, signersWithEvidence } from "@rubrica/domain";
import type { DocumentEventOf } from "@rubrica/events";
import { type IdentityProvider, IdentityProviderUnavailable } from "@rubrica/identity";
import type { Runtime } from "@rubrica/runtime";
import type { FileStore } from "@rubrica/storage";
import { identitySubject } from "./identity.ts";
import { contextOf, LONG_WORK_MS, type Subscriber } from "./subscriber.ts";

const CONCURRENCY = 2;

export interface EvidenceDependencies {
  handlers: Handlers;
  files: FileStore;
  identityProvider: IdentityProvider;
  runtime: Runtime;
  /** Breaks off what is asked of the provider when the service stops. */
  signal: AbortSignal;
}

/** Fetches what the identity provider keeps of the signers of a document that has ended, once, and keeps it. */
export const evidenceSubscriber = (dependencies: EvidenceDependencies): Subscriber => ({
  kind: "fetch-evidence",
  concurrency: CONCURRENCY,
  longestMs: LONG_WORK_MS,
  async meet(published) {
    const { handlers, runtime } = dependencies;
    const { documentId } = published;
    const document = await handlers.documents.load(documentId);
    if (!("evidenceFiles" in document) || document.evidenceFiles) return;
    const context = stepOf(contextOf(published, "identity"), "evidence");
    try {
      const files = await fetchFiles(dependencies, document);
      const { provider } = dependencies.identityProvider;
      await handlers.documents.handle(documentId, recordEvidence, { files, provider }, stepOf(context, "fetched"));
    } catch (error) {
      if (!(error instanceof IdentityProviderUnavailable)) throw error;
      const { clock, random } = runtime;
      const attempt = document.evidenceFailures + 1;
      const failure = { attempt, reason: error.reason, now: clock.now(), jitter: random.fraction() };
      const step = stepOf(context, "failed", attempt);
      await handlers.documents.handle(documentId, recordEvidenceFailure, failure, step);
      throw error;
    }
  },
});

type FetchedFiles = DocumentEventOf<"EvidenceFetched">["data"]["files"];

// One signer after the other: the evidence of fifty would not fit into memory.
const fetchFiles = async (
  { files, identityProvider, signal }: EvidenceDependencies,
  document: ConcludedDocument,
): Promise<FetchedFiles> => {
  const { documentId } = document;
  const fetched: FetchedFiles = [];
  for (const { signerId } of signersWithEvidence(document)) {
    for (const { kind, shows, mediaType, bytes } of await identityProvider.evidence(
      identitySubject(documentId, signerId),
      signal,
    )) {
      fetched.push({ signerId, kind, shows, file: await files.put(documentId, bytes, mediaType) });
    }
  }
  return fetched;
};
