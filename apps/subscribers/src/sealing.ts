import { type Handlers, stepOf } from "@rubrica/commands";
import { type CompletedDocument, recordSealed, recordSealingFailed } from "@rubrica/domain";
import type { FileStore } from "@rubrica/file-store";
import { type PdfEngine, PdfRefused, type SigningIdentity, type Stamp } from "@rubrica/pdf";
import type { Runtime } from "@rubrica/runtime";
import { contextOf, type Subscriber } from "./subscriber.ts";

// Sealing is the processor's work: more at a time than there are workers gains nothing.
const CONCURRENCY = 4;

export interface SealingDependencies {
  handlers: Handlers;
  files: FileStore;
  pdf: PdfEngine;
  identity: SigningIdentity;
  runtime: Runtime;
}

/** Stamps and seals documents that every signer has signed. */
export const sealingSubscriber = (dependencies: SealingDependencies): Subscriber => ({
  kind: "seal",
  concurrency: CONCURRENCY,
  async meet(published) {
    const { handlers } = dependencies;
    const document = await handlers.documents.load(published.documentId);
    if (document.status !== "completed" || document.seal) return;
    const context = contextOf(published, "sealing");
    try {
      const sealed = await seal(dependencies, document);
      await handlers.documents.handle(published.documentId, recordSealed, sealed, stepOf(context, "sealed"));
    } catch (error) {
      const failure = {
        reason: error instanceof PdfRefused ? error.reason : "sealing_failed",
        now: dependencies.runtime.clock.now(),
        jitter: dependencies.runtime.random.fraction(),
      };
      const step = stepOf(context, "failed", document.sealingAttempts + 1);
      await handlers.documents.handle(published.documentId, recordSealingFailed, failure, step);
      throw error;
    }
  },
});

const seal = async ({ files, pdf, identity, runtime }: SealingDependencies, document: CompletedDocument) => {
  const { documentId } = document;
  const bytes = await files.get(documentId, document.file.sha256);
  const sealed = await pdf.stampAndSeal(bytes, await stampsOf(files, document), {
    identity,
    sealedAt: runtime.clock.now(),
  });
  const file = await files.put(documentId, sealed.bytes, "application/pdf");
  return { file, level: sealed.level, certificateSha256: sealed.certificateSha256 };
};

/** The signers' visible signatures, in signing order. */
const stampsOf = (files: FileStore, { documentId, signers }: CompletedDocument): Promise<Stamp[]> =>
  Promise.all(
    signers
      .toSorted((a, b) => a.order - b.order)
      .map(async ({ person, signed, placement }) => {
        if (!person || !signed?.at) throw new Error("a signer of a completed document is not known");
        return {
          placement,
          drawing: await files.get(documentId, signed.drawing.sha256),
          name: person.name,
          idNumber: person.idNumber,
          signedAt: Date.parse(signed.at),
          timeZone: signed.timeZone,
          documentId,
        };
      }),
  );
