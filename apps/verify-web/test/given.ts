import { createHttpServer, createLogger, type HttpServer } from "@rubrica/http";
import { loadOrCreateSigningIdentity, type Proof, type VerifiedSignature } from "@rubrica/pdf";
import { createRenderer } from "@rubrica/report/rendering";
import { systemRuntime } from "@rubrica/runtime";
import { temporaryFolder } from "@rubrica/test-kit";
import { createResults } from "../src/result/result.ts";
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
  named: { kind: "document", id: "0198c1c5-2f2b-7cc0-9d52-1f0f5a4b7c11" },
  claimedAt: Date.UTC(2026, 10, 21, 15, 9, 41),
  timestampedAt: null,
  timestampedBy: null,
  proof: null,
  certificateStatus: {
    at: Date.UTC(2026, 10, 22),
    status: "good",
    validFrom: Date.UTC(2026, 0, 1),
    validUntil: Date.UTC(2031, 0, 1),
    revokedAt: null,
    revocationKnownAt: Date.UTC(2026, 10, 21),
  },
  trustedTime: false,
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
  certificateSha256: "ab".repeat(32),
  level: "B-LTA",
  chainIntact: true,
  inFirstHead: true,
  demo: false,
  simulated: { messages: false, identity: null },
  ownAuthority: false,
};
/** A timestamp over a seal by an authority that is trusted. */
export const proof: Proof = {
  by: "signature_timestamp",
  at: Date.UTC(2026, 10, 21, 15, 9, 42),
  authority: "CN=Time, O=Clocks",
  trusted: true,
  certificateStatus: seal.certificateStatus,
};
/** A report on a document that is as it should be. */
export const valid: Report = {
  verdict: "valid",
  readable: true,
  reason: null,
  sha256: "5f".repeat(32),
  fileBytes: 100,
  checkedAt: Date.UTC(2026, 10, 22, 9),
  signatures: [seal, timestamp],
  document,
  asSigned: null,
};

/** Sets and seals results as the service does. */
export const realResults = async () => {
  const folder = temporaryFolder();
  const { clock, random } = runtime;
  const identity = await loadOrCreateSigningIdentity(folder.path, "https://sign.example", clock, random);
  const renderer = createRenderer({ clock, name: "results" });
  const known = { publicUrl: "https://sign.example", ownAuthority: true, timestampRoots: 1 };
  return {
    ...createResults({ renderer, identity, ...known }),
    identity,
    async [Symbol.asyncDispose]() {
      await renderer.close();
      folder[Symbol.dispose]();
    },
  };
};

export type GivenApp = Partial<Pick<VerifyWebDependencies, "gate" | "verifier" | "results">>;

/** No test of these asks for a PDF. */
const noResults: VerifyWebDependencies["results"] = { pdf: () => Promise.reject(new Error("no results were given")) };

/**
 * The page and its API over a verifier that always reports the same, unless another one is given; takes 1,000 bytes. The
 * minute in which it counts what an address sends does not end.
 */
export const app = async ({
  verifier = { verify: async () => valid },
  results = noResults,
  gate,
}: GivenApp = {}): Promise<HttpServer> => {
  const server = createHttpServer({ runtime, logger: createLogger({ clock: runtime.clock, level: "silent" }) });
  const clock = { ...runtime.clock, monotonicMs: () => 0 };
  await server.register(verifyWeb({ clock, verifier, results, documentBytes: 1_000, gate }));
  return server;
};
