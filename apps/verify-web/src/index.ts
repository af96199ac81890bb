export { openVerifyWeb, type VerifyWebParts } from "./app.ts";
export { createVerifier, type Verifier, type VerifierDependencies } from "./verifier.ts";
