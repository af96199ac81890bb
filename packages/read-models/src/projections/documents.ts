import { type Authentication, type FileReference, type PhotoKind, photoKindOf } from "@rubrica/events";
import type { JournalEvent } from "@rubrica/journal";
import type { Projection } from "../projection.ts";
import { type CorrectedSigner, withCorrection } from "./corrected-signers.ts";

/** An uploaded photo; every attempt's is kept. */
export type PhotoRecord = { kind: PhotoKind; attempt: number; file: FileReference };

/** A signer of a document. Who they are is in the events alone, encrypted: read models name nobody. */
export type SignerRecord = {
  signerId: string;
  /** When the provider took the first template message since they were corrected last, or null. */
  messageSentAt: string | null;
  signedAt: string | null;
  /** What the signer drew, as a JPEG on white, or null. */
  drawing: FileReference | null;
  photos: PhotoRecord[];
};

/** A document as the status, the signers' metadata and the downloads show it. Its id is the document's. */
export type DocumentRecord = {
  documentId: string;
  accountId: string;
  createdAt: string;
  authentication: Authentication;
  /** When the last signer signed, or null. */
  completedAt: string | null;
  /** The PDF as it was sent; null where nobody sent one, or that was not recorded. */
  sent: FileReference | null;
  /** The stamped and sealed PDF, or null. */
  sealed: FileReference | null;
  /** Whether its people were erased, and its files with them. */
  erased: boolean;
  corrections: CorrectedSigner[];
  /** In the order of the request. */
  signers: SignerRecord[];
};

type Requested = Extract<JournalEvent, { type: "DocumentRequested" }>;

const requested = ({ data, metadata }: Requested): DocumentRecord => ({
  documentId: data.documentId,
  accountId: metadata.accountId,
  createdAt: metadata.at,
  authentication: data.authentication,
  completedAt: null,
  sent: data.sentFile,
  sealed: null,
  erased: false,
  corrections: [],
  signers: data.signers.map(({ signerId }) => ({
    signerId,
    messageSentAt: null,
    signedAt: null,
    drawing: null,
    photos: [],
  })),
});

const withSigner = (
  document: DocumentRecord,
  signerId: string,
  change: (signer: SignerRecord) => Partial<SignerRecord>,
): DocumentRecord => ({
  ...document,
  signers: document.signers.map((signer) => (signer.signerId === signerId ? { ...signer, ...change(signer) } : signer)),
});

const withPhoto = (photos: readonly PhotoRecord[], photo: PhotoRecord): PhotoRecord[] => [
  ...photos.filter(({ kind, attempt }) => kind !== photo.kind || attempt !== photo.attempt),
  photo,
];

const evolve = (document: DocumentRecord, event: JournalEvent): DocumentRecord => {
  const { at } = event.metadata;
  switch (event.type) {
    case "MessageSent":
      return withSigner(document, event.data.signerId, ({ messageSentAt }) => ({ messageSentAt: messageSentAt ?? at }));
    case "SignerCorrected": {
      const corrections = withCorrection(document.corrections, event);
      return { ...withSigner(document, event.data.signerId, () => ({ messageSentAt: null })), corrections };
    }
    case "SelfieUploaded":
    case "IdFrontUploaded":
    case "IdBackUploaded": {
      const { signerId, attempt, file } = event.data;
      const kind = photoKindOf[event.type];
      return withSigner(document, signerId, ({ photos }) => ({ photos: withPhoto(photos, { kind, attempt, file }) }));
    }
    case "DocumentSigned": {
      const { signerId, drawingJpeg } = event.data;
      return withSigner(document, signerId, () => ({ signedAt: at, drawing: drawingJpeg }));
    }
    case "DocumentCompleted":
      return { ...document, completedAt: at };
    case "DocumentSealed":
    case "SealAugmented":
      return { ...document, sealed: event.data.file };
    case "DocumentErased":
      return { ...document, erased: true };
    default:
      return document;
  }
};

/** Every event of a document's stream touches its record, so that the record's position tells how fresh it is. */
export const documents: Projection<DocumentRecord> = {
  name: "documents",
  version: 5,
  indexes: [],
  keysOf: (event) => (event.streamKind === "document" ? [event.streamId] : []),
  project: (document, event) => {
    if (event.type === "DocumentRequested") return document ?? requested(event);
    return document && evolve(document, event);
  },
};
