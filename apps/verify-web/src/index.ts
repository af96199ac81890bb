export { type PkiDependencies, pkiRoutes } from "./pki.ts";
export { createVerifier, type Freshness, type Report, type Verifier, type VerifierDependencies } from "./verifier.ts";
export { type VerifyWebDependencies, verifyWeb } from "./verify-web.ts";
