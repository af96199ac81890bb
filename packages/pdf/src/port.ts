import type { Placement } from "@rubrica/events";
import type { Admission } from "@rubrica/pdf-admission";
import type { Inspection } from "@rubrica/pdf-drawing/inspect";
import type { SignedPage } from "@rubrica/pdf-drawing/placing/as-signed";
import type { Stamp } from "@rubrica/pdf-drawing/stamping/box";
import type { AskedFault } from "./asked-places.ts";
import type { SigningIdentity } from "./sealing/identity.ts";
import type { Named } from "./sealing/named.ts";
import type { Knowledge, Verification } from "./verification/findings.ts";

/** What is asked of a signature's place: a page (from 1), and a place on it. What is left out is found. */
export interface AskedPlace {
  page?: number | undefined;
  x?: number | undefined;
  y?: number | undefined;
}

/** Where signatures are asked to go on a document. */
export interface AskedPlaces {
  /** One a signer, in signing order. */
  places: readonly AskedPlace[];
  /** Whether each goes on every page. */
  everyPage: boolean;
  /** What people call the document; stands on a page that is added for signatures. */
  title: string;
}

/** A document that was taken, and where its signatures go. */
export interface AdmittedAndPlaced {
  /** What is wrong with the places asked for; when there is something, no places are found. */
  faults: readonly AskedFault[];
  /** One a signer, in the order asked. */
  placements: readonly Placement[];
  /** The document as it was changed, to go on with; null: the one that was given. */
  bytes: Uint8Array | null;
  /** Describes the document to go on with. */
  inspection: Inspection;
  /** How many pages it had before any were added for signatures. */
  pagesBefore: number;
}

/** PAdES baseline levels (ETSI EN 319 142-1): B-T has a timestamp, B-LT validation data, B-LTA a timestamp over all. */
export type SealLevel = "B-B" | "B-T" | "B-LT" | "B-LTA";

/** How a document is to be sealed. */
export interface Sealing {
  identity: SigningIdentity;
  /** Claimed time of sealing, in milliseconds since the UNIX epoch. */
  sealedAt: number;
  /** Shown by PDF readers as the reason of the signature; who signed, when it is not given. */
  reason?: string;
  /** What the signature says that it is over, so that it passes for nothing else; nothing, when it is not given. */
  named?: Named;
  /** Where timestamps come from; without it a seal is B-B. */
  timestamps?: Timestamps;
}

/** Timestamp servers, and the level that their timestamps are for. */
export interface Timestamps {
  /** RFC 3161 over HTTP; the next one is asked where one fails, or its certificate is revoked. */
  urls: readonly string[];
  /** B-LTA when it is not given. */
  level?: "B-T" | "B-LT" | "B-LTA";
}

/** A sealed document. */
export interface Sealed {
  bytes: Uint8Array;
  /** The level that was reached. */
  level: SealLevel;
  /** Why a higher level that was asked for was not reached; null when it was. */
  shortfall: string | null;
  /** Whether what was lacking may be had later, so that {@link PdfEngine.augment} may reach the level. */
  isShortfallTemporary: boolean;
  /** The seal's own timestamp: milliseconds since the UNIX epoch, and whose it is by the certificate's subject. Null at B-B. */
  timestamp: { at: number; authority: string } | null;
  /** When the first of the document timestamp's certificates ends, in milliseconds since the UNIX epoch. Null without one. */
  provenUntil: number | null;
  /** Lower-case hex SHA-256 of the certificate that sealed. */
  certificateSha256: string;
}

/** How a sealed document is to be augmented (ETSI EN 319 142-1, 6; ETSI EN 319 102-1, 5.5). */
export interface Augmentation {
  /**
   * `complete`: a seal that is not at B-LTA is brought there. `renew`: the last document timestamp is given the validation
   * data that it takes, and another one over all of it.
   */
  kind: "complete" | "renew";
  /** Lower-case hex SHA-256 of the certificate that sealed. */
  certificateSha256: string;
  /** Whose authority tells of its own certificates' revocation. */
  identity: SigningIdentity;
  timestamps: Pick<Timestamps, "urls">;
}

/** An augmented document: what was sealed before is a prefix of it. */
export interface Augmented extends Omit<Sealed, "certificateSha256" | "timestamp"> {
  /** The document timestamp that was added last: milliseconds since the UNIX epoch, and whose it is. */
  timestamp: { at: number; authority: string };
  provenUntil: number;
}

/**
 * The document engine: works in processes of its own, within limits of time and memory, shared fairly between callers
 * (`caller`: who it is done for; the service itself when it is not given). Whatever it does may throw `HelpersBusy`: too
 * much waits, or helpers die; the same may be tried again later.
 */
export interface PdfEngine {
  /** What a document is like. Throws {@link PdfRefused} when it can't be taken. */
  inspect(bytes: Uint8Array, caller?: string): Promise<Inspection>;
  /**
   * Takes a document in, without its active content: JavaScript, what starts programs, sends data or opens other files,
   * and all that happens by itself. One that carries signatures is left as it is. Throws {@link PdfRefused}.
   */
  admit(bytes: Uint8Array, caller?: string): Promise<Admission>;
  /**
   * Takes a document in as {@link PdfEngine.admit} does, finds places for signatures where the document as rendered shows
   * nothing, and tries out stamping and sealing with all of them. Where there is no room for one, an unsigned document
   * gets a page for it at its end; on a signed one it covers what is least. Throws {@link PdfRefused}, `grows_too_far`
   * when the sealed file would be larger than stamps account for.
   */
  admitAndPlace(bytes: Uint8Array, asked: AskedPlaces, caller?: string): Promise<AdmittedAndPlaced>;
  /**
   * The characters of each text, as they are perceived, that no font has: what stands for them in print is the same for
   * all of them. Empty for a text that can be drawn.
   */
  undrawable(texts: readonly string[], caller?: string): Promise<string[][]>;
  /** Draws stamps without sealing; for previews. Throws {@link PdfRefused}, also for a document that carries signatures. */
  stamp(bytes: Uint8Array, stamps: readonly Stamp[], caller?: string): Promise<Uint8Array>;
  /** Seals a document as it is. Throws {@link PdfRefused}. */
  seal(bytes: Uint8Array, sealing: Sealing, caller?: string): Promise<Sealed>;
  /**
   * Stamps and seals. Throws {@link PdfRefused}, `TimestampFailed` when timestamps were asked for and the server
   * gives none, and `CertificateRevoked` when the identity's certificate turns out to be: the document is then not
   * sealed at all, and may be tried again.
   */
  stampAndSeal(bytes: Uint8Array, stamps: readonly Stamp[], sealing: Sealing, caller?: string): Promise<Sealed>;
  /**
   * Appends to a sealed document what its seal lacks, or renews its last timestamp. Throws `TimestampFailed` when no server
   * gives a timestamp, `CertificateRevoked` when a certificate that it rests on is revoked, and `ValidationDataMissing`
   * where a renewal lacks what tells that it is not.
   */
  augment(bytes: Uint8Array, augmentation: Augmentation, caller?: string): Promise<Augmented>;
  /**
   * Checks every signature of a file, which is not kept.
   * @param roots certificates (DER) that seals of this service chain to, today's and former ones
   * @param knowledge what else its times and certificates are judged by; nothing is asked for
   */
  verify(
    bytes: Uint8Array,
    roots: readonly Uint8Array[],
    caller?: string,
    knowledge?: Knowledge,
  ): Promise<Verification>;
  /**
   * The first page that looks otherwise today than when it was signed, as it was then, by the first of several signatures
   * of which there is one; null where none is seen to differ, or it can't be drawn within bounds. Throws
   * {@link PdfRefused} when it takes more than a task may.
   * @param signedBytes how much of the file was there when each was made, from its first byte on
   */
  asSigned(bytes: Uint8Array, signedBytes: readonly number[], caller?: string): Promise<SignedPage | null>;
  /** Starts a process before it is needed. */
  warm(): void;
  /** Ends all processes; what still runs is rejected. */
  close(): Promise<void>;
}
