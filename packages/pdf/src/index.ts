// PDF files: admitted, placed on, stamped, sealed and verified, in helper processes.
// It must not know documents, signers or what happened to them: it is given bytes, and what to do with them.

export type { Placement } from "@rubrica/events";
export type { ActiveContent, Admission } from "@rubrica/pdf-admission";
export {
  defaultPlacements,
  type Inspection,
  type PlacementFault,
  type PlacementOptions,
  placementFaults,
  type ShownSignature,
  type SignedPage,
  STAMP_BOX,
  type Stamp,
  type WantedPlacement,
} from "@rubrica/pdf-drawing";
export { type CarriedSignature, type PageSize, PdfRefused, type RefusalReason } from "@rubrica/pdf-reading";
export { type AskedFault, askedFaults, askedFor } from "./asked-places.ts";
export { certificatesInPem } from "./asn1/pem.ts";
export { InvalidSignature } from "./asn1/signed-data.ts";
export type { PdfPool } from "./engine/engine.ts";
export { createPdfEngine, PDF_TASK_LIMITS, type PdfEngineOptions } from "./engine/engine.ts";
export type {
  AdmittedAndPlaced,
  AskedPlace,
  AskedPlaces,
  Augmentation,
  Augmented,
  PdfEngine,
  Sealed,
  Sealing,
  SealLevel,
  Timestamps,
} from "./port.ts";
export { checkHead, headsSignedUnder } from "./sealing/head-signature.ts";
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
