import { binary, type HttpPlugin } from "@rubrica/http";
import type { CertificateAuthority } from "@rubrica/pdf";

/** What the own authority's answers are made of. */
export interface PkiDependencies {
  /** Null when there is none: documents are sealed with a certificate from elsewhere. */
  authority: CertificateAuthority | null;
}

const CRL_MAX_AGE_SECONDS = 3_600;

/**
 * `GET /pki/ca.crt` and `GET /pki/ca.crl`: the own authority's certificate and revocation list in DER, where the
 * certificates that it issued say they are (RFC 5280, 4.2.1.13 and 4.2.2.1; media types: RFC 2585). Not there without one.
 */
export const pkiRoutes =
  ({ authority }: PkiDependencies): HttpPlugin =>
  async (app) => {
    if (!authority) return;
    const cached = { "cache-control": `public, max-age=${CRL_MAX_AGE_SECONDS}` };
    app.get(
      "/pki/ca.crt",
      {
        config: { countedBy: "nobody" },
        schema: {
          tags: ["verification"],
          operationId: "authorityCertificate",
          summary: "The authority's certificate",
          description: "What to trust to accept this service's seals, in DER. No key.",
          response: { 200: binary("application/pkix-cert", "The certificate.") },
        },
      },
      async (_request, reply) =>
        reply
          .headers(cached)
          .type("application/pkix-cert")
          .send(Buffer.from(authority.certificate) as never),
    );
    app.get(
      "/pki/ca.crl",
      {
        config: { countedBy: "nobody" },
        schema: {
          tags: ["verification"],
          operationId: "authorityRevocations",
          summary: "The authority's revocation list",
          description: "Which certificates were withdrawn, in DER; signed anew before it lapses. No key.",
          response: { 200: binary("application/pkix-crl", "The list.") },
        },
      },
      async (_request, reply) =>
        reply
          .headers(cached)
          .type("application/pkix-crl")
          .send(Buffer.from(authority.crl()) as never),
    );
  };
