import { type ErasureStores, eraseDocument, forgetDocument } from "@rubrica/commands";
import { knownToProviders, type RequestedDocument } from "@rubrica/domain";
import type { IdentityProvider } from "@rubrica/identity";
import type { MessagingProviders } from "@rubrica/messaging";
import { listedDocuments, type ReadModelStore } from "@rubrica/read-models";
import { identitySubject } from "./identity.ts";
import { contextOf, LONG_WORK_MS, type Subscriber } from "./subscriber.ts";

const CONCURRENCY = 4;

export interface ErasureDependencies extends ErasureStores {
  messaging: MessagingProviders;
  identityProvider: Pick<IdentityProvider, "forget">;
  readModels: Pick<ReadModelStore, "get" | "wipe">;
  /** Breaks off what is asked of the providers when the service stops: it is asked again at the next start. */
  signal: AbortSignal;
}

/** Erases documents whose time is over, and forgets those that were erased: keys and files go, and what providers keep. */
export const erasureSubscribers = (dependencies: ErasureDependencies): Subscriber[] => [
  {
    kind: "erase",
    concurrency: CONCURRENCY,
    longestMs: LONG_WORK_MS,
    async meet(published) {
      await eraseDocument(dependencies, published.documentId, "retention", contextOf(published, "erasure"));
    },
  },
  {
    kind: "forget",
    concurrency: CONCURRENCY,
    longestMs: LONG_WORK_MS,
    async meet(published) {
      const forgetElsewhere = async (document: RequestedDocument) => {
        await askProviders(dependencies, document);
        // Last: whoever reads the read models for hours holds up nothing else.
        await wipeReadModels(dependencies, document);
      };
      await forgetDocument(dependencies, published.documentId, forgetElsewhere, contextOf(published, "erasure"));
    },
  },
];

/** What the document's people were found by: MACs, which who has SECRET could try phones and numbers on. */
const wipeReadModels = async (
  { readModels }: ErasureDependencies,
  { documentId }: RequestedDocument,
): Promise<void> => {
  const listed = await readModels.get(listedDocuments, documentId);
  if (listed && !listed.document.erased) throw new Error("the read models do not say yet that the document is erased");
  await readModels.wipe();
};

/** One after the other, so that a document of fifty signers is no burst. */
const askProviders = async (
  { messaging, identityProvider, signal }: ErasureDependencies,
  document: RequestedDocument,
): Promise<void> => {
  const { messageIds, signerIds } = knownToProviders(document);
  for (const provider of messaging.values()) {
    for (const messageId of messageIds) await provider.forget?.(messageId, signal);
  }
  for (const signerId of signerIds) {
    await identityProvider.forget(identitySubject(document.documentId, signerId), signal);
  }
};
