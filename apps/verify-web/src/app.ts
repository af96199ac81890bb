import type { App, Host } from "@rubrica/hosting";
import { projectedChecks, projectedMeasurements } from "@rubrica/hosting/readiness";
import type { Records } from "@rubrica/open-engines";
import { type CertificateAuthority, createPdfEngine, headsSignedUnder, type SigningIdentity } from "@rubrica/pdf";
import { createRenderer } from "@rubrica/report/rendering";
import { headRoutes } from "./heads.ts";
import { pkiRoutes } from "./pki.ts";
import { createResults } from "./result/result.ts";
import { createVerifier } from "./verifier.ts";
import { verifyWeb } from "./verify-web.ts";

/** What the checking of PDFs may share with other apps of its process. */
export interface VerifyWebParts {
  signing: {
    /** What results are sealed with. */
    identity: SigningIdentity;
    /** Null where there is none of its own. */
    authority: CertificateAuthority | null;
    /** Certificates (DER) that seals of this service have, or chain to. */
    roots: readonly Uint8Array[];
    /** Certificates (DER) of authorities whose timestamps are trusted. */
    timestampRoots: readonly Uint8Array[];
  };
}

/** Opens the checking of PDFs: its page and routes, what the own authority publishes, and the helpers that check, and set results. */
export const openVerifyWeb = (host: Host<Records>, { signing }: VerifyWebParts): App => {
  const { config, runtime, engines, budget, publicUrl } = host;
  const { events, readModels, freshness, known: ofHeads } = engines;
  const { clock } = runtime;
  const { identity, authority, roots, timestampRoots } = signing;
  const pdf = createPdfEngine({ clock, budget, name: "checks", processes: 1 });
  const asksAuthorities = config.tsaUrls.length > 0;
  const trust = { authority, roots, timestampRoots, asksAuthorities, issuers: identity.issuers };
  const verifier = createVerifier({ pdf, clock, ...trust, events, readModels, freshness, known: ofHeads });
  const renderer = createRenderer({ clock, budget, name: "results" });
  const known = { ownAuthority: authority !== null, timestampRoots: timestampRoots.length };
  const results = createResults({ renderer, identity, publicUrl, ...known });
  return {
    async routes(server) {
      await server.register(verifyWeb({ clock, verifier, results, documentBytes: config.limits.documentBytes }));
      await server.register(pkiRoutes({ authority }));
      await server.register(headRoutes({ events, known: ofHeads, isSigned: headsSignedUnder(roots) }));
    },
    checks: projectedChecks(host),
    measurements: projectedMeasurements(host),
    close: async () => {
      await Promise.all([pdf.close(), renderer.close()]);
    },
  };
};
