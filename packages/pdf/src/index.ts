// PDF files: read, judged, placed on, stamped, sealed and verified, in helper processes.
// It must not know documents, signers or events: it is given bytes and what to do with them.

export type { Placement } from "@rubrica/events";
export { type AskedFault, askedFaults, askedFor } from "./asked-places.ts";
export { certificatesInPem } from "./asn1/pem.ts";
export { InvalidSignature } from "./asn1/signed-data.ts";
export { defaultPlacements, type PlacementOptions, type WantedPlacement } from "./default-placements.ts";
export { createPdfEngine, PDF_TASK_LIMITS, type PdfEngineOptions } from "./engine/engine.ts";
export type { PdfPool } from "./engine/runner.ts";
export { type PlacementFault, placementFaults, STAMP_BOX } from "./placement.ts";
export type { SignedPage } from "./placing/as-signed.ts";
export {
  type ActiveContent,
  type Admission,
  type AdmittedAndPlaced,
  type AskedPlace,
  type AskedPlaces,
  type Augmentation,
  type Augmented,
  type CarriedSignature,
  type Inspection,
  type PageSize,
  type PdfEngine,
  PdfRefused,
  type RefusalReason,
  type Sealed,
  type Sealing,
  type SealLevel,
  type ShownSignature,
  type Stamp,
  type Timestamps,
} from "./port.ts";
export type { CertificateAuthority, SealAlgorithm, SigningIdentity } from "./sealing/identity.ts";
export { loadOrCreateSigningIdentity } from "./sealing/load.ts";
export { type Named, type SignedKind, signedKinds } from "./sealing/named.ts";
export { signingIdentityFromP12 } from "./sealing/pkcs12.ts";
export { type CheckedStatement, checkStatement, type StatementSignature, signStatement } from "./sealing/statement.ts";
export { TimestampFailed } from "./sealing/timestamp.ts";
export { CertificateRevoked, ValidationDataMissing } from "./sealing/validation-data.ts";
export type { CertificateStatus } from "./verification/certificate-status.ts";
export type {
  AfterSeal,
  Knowledge,
  LaterChanges,
  Proof,
  Verification,
  VerifiedSignature,
} from "./verification/findings.ts";
