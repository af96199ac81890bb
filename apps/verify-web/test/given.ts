import { createHttpServer, createLogger, type HttpServer } from "@rubrica/http";
import type { VerifiedSignature } from "@rubrica/pdf";
import { systemRuntime } from "@rubrica/runtime";
import type { Report } from "../src/verifier.ts";
import { type VerifyWebDependencies, verifyWeb } from "../src/verify-web.ts";

const runtime = systemRuntime();

/** A seal of this service that holds. */
export const seal: VerifiedSignature = {
  fieldName: "Seal",
  kind: "signature",
  intact: true,
  fault: null,
  certificate: { subject: "CN=Rubrica seal, O=Rubrica", issuer: "CN=Rubrica authority", sha256: "ab".repeat(32) },
  trusted: true,
  claimedAt: Date.UTC(2026, 10, 21, 15, 9, 41),
  timestampedAt: null,
  timestampedBy: null,
  coveredBytes: 100,
  changesAfter: "none",
  canonical: true,
};
export const timestamp: VerifiedSignature = {
  ...seal,
  kind: "document_timestamp",
  trusted: false,
  certificate: { subject: "CN=Time", issuer: "CN=Time authority", sha256: "cd".repeat(32) },
};
export const another: VerifiedSignature = {
  ...seal,
  trusted: false,
  certificate: { subject: "CN=<b>Ana</b> Paz", issuer: "CN=Another authority", sha256: "ef".repeat(32) },
  canonical: false,
};
export const document = {
  documentId: "0198c1c5-2f2b-7cc0-9d52-1f0f5a4b7c11",
  sealedAt: "2026-11-21T15:09:41.120Z",
  level: "B-LTA",
  chainIntact: true,
  demo: false,
  simulated: { messages: false, identity: null },
  ownAuthority: false,
};
/** A report on a document that is as it should be. */
export const valid: Report = {
  verdict: "valid",
  readable: true,
  reason: null,
  sha256: "5f".repeat(32),
  signatures: [seal, timestamp],
  document,
};

export type GivenApp = Partial<Pick<VerifyWebDependencies, "gate" | "verifier">>;

/** The page and its API over a verifier that always reports the same, unless another one is given; takes 1,000 bytes. */
export const app = async ({ verifier = { verify: async () => valid }, gate }: GivenApp = {}): Promise<HttpServer> => {
  const server = createHttpServer({ runtime, logger: createLogger({ clock: runtime.clock, level: "silent" }) });
  await server.register(verifyWeb({ clock: runtime.clock, verifier, documentBytes: 1_000, gate }));
  return server;
};
