import { type PhotoKind, photoKinds, requestDocument, sign, uploadPhoto } from "@rubrica/domain";
import { sample } from "@rubrica/events";
import type { IdentityCheck, IdentityProvider, IdentityVerdict, ProviderFile } from "@rubrica/identity";
import type { JournalEvent } from "@rubrica/journal";
import { contextOf, documentIds, openWorld, requestOf, signerOfDocument } from "@rubrica/test-kit/commands";
import { signing } from "@rubrica/test-kit/document-history";

export const documentId = documentIds.first;
export const signerId = signerOfDocument(documentId);

/** A provider that gives what it is told to give, and keeps what it was asked. */
export interface ToldProvider extends IdentityProvider {
  checks: IdentityCheck[];
  subjects: string[];
  forgotten: string[];
  /** Given to each check. */
  answer: (check: IdentityCheck) => Promise<IdentityVerdict>;
  files: (subject: string) => Promise<ProviderFile[]>;
}

const good = { result: "approved" as const, reason: null };
/** A word that approves, and what it says otherwise. */
export const verdict = (other: Partial<IdentityVerdict> = {}): IdentityVerdict => ({
  simulated: false,
  selfie: good,
  idFront: good,
  idBack: good,
  mrz: null,
  documentError: null,
  rejection: null,
  ...other,
});

const toldProvider = (): ToldProvider => {
  const provider: ToldProvider = {
    provider: sample.provider,
    checks: [],
    subjects: [],
    forgotten: [],
    answer: async () => verdict(),
    files: async () => [],
    check(check) {
      provider.checks.push(check);
      return provider.answer(check);
    },
    evidence(subject) {
      provider.subjects.push(subject);
      return provider.files(subject);
    },
    async forget(subject) {
      provider.forgotten.push(subject);
    },
  };
  return provider;
};

/** A document whose signer's photos are validated, before they took any. */
export const openIdentityWorld = async () => {
  const world = openWorld();
  const { documents } = world.handlers;
  await documents.handle(
    documentId,
    requestDocument,
    requestOf(documentId, { requestPhotos: true }),
    contextOf("request"),
  );
  const provider = toldProvider();
  let uploads = 0;
  return {
    ...world,
    provider,
    dependencies: { ...world, identityProvider: provider, signal: new AbortController().signal },
    async upload(...kinds: PhotoKind[]): Promise<void> {
      for (const kind of kinds) {
        uploads += 1;
        const file = await world.files.put(documentId, Buffer.from(`${kind} ${uploads}`), "image/jpeg");
        const command = { signerId, kind, file, origin: sample.origin };
        await documents.handle(documentId, uploadPhoto, command, contextOf(`upload-${uploads}`));
      }
    },
    uploadAll() {
      return this.upload(...photoKinds);
    },
    sign: () => documents.handle(documentId, sign, signing(signerId), contextOf("sign")),
    /** What was recorded after the uploads, by type and data. */
    async recorded(): Promise<Pick<JournalEvent, "type" | "data">[]> {
      const events = await world.eventsOf("document", documentId);
      return events
        .filter(({ type }) => type !== "DocumentRequested" && !type.endsWith("Uploaded"))
        .map(({ type, data }) => ({ type, data }) as Pick<JournalEvent, "type" | "data">);
    },
  };
};
