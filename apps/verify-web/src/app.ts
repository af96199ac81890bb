import type { Records } from "@rubrica/engines";
import { type App, type Host, projectedChecks, projectedMeasurements } from "@rubrica/hosting";
import { type CertificateAuthority, createPdfEngine } from "@rubrica/pdf";
import { pkiRoutes } from "./pki.ts";
import { createVerifier } from "./verifier.ts";
import { verifyWeb } from "./verify-web.ts";

/** What the checking of PDFs may share with other apps of its process. */
export interface VerifyWebParts {
  signing: {
    /** Null where there is none of its own. */
    authority: CertificateAuthority | null;
    /** Certificates (DER) that seals of this service have, or chain to. */
    roots: readonly Uint8Array[];
  };
}

/** Opens the checking of PDFs: its page and routes, what the own authority publishes, and the helper that checks. */
export const openVerifyWeb = (host: Host<Records>, { signing }: VerifyWebParts): App => {
  const { config, runtime, engines, budget } = host;
  const { events, readModels, freshness } = engines;
  const { clock } = runtime;
  const { authority, roots } = signing;
  const pdf = createPdfEngine({ clock, budget, name: "checks", processes: 1 });
  const verifier = createVerifier({ pdf, roots, events, readModels, freshness });
  return {
    async routes(server) {
      await server.register(verifyWeb({ clock, verifier, documentBytes: config.limits.documentBytes }));
      await server.register(pkiRoutes({ authority }));
    },
    checks: projectedChecks(host),
    measurements: projectedMeasurements(host),
    close: () => pdf.close(),
  };
};
