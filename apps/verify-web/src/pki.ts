import { binary, type HttpPlugin } from "@rubrica/http";
import type { CertificateAuthority } from "@rubrica/pdf";

/** What the own authority's answers are made of. */
export interface PkiDependencies {
  /** Null when there is none: documents are sealed with a certificate from elsewhere. */
  authority: CertificateAuthority | null;
}

const MAX_AGE_SECONDS = 3_600;

/**
 * `GET /pki/ca.crt` and `GET /pki/ca.crl`: the own authority's certificate and revocation list in DER, where the
 * certificates that it issued say they are (RFC 5280, 4.2.1.13 and 4.2.2.1; media types: RFC 2585). Not there without one.
 */
export const pkiRoutes =
  ({ authority }: PkiDependencies): HttpPlugin =>
  async (app) => {
    if (!authority) return;
    const publish = (path: string, mediaType: string, read: () => Uint8Array, description: Described): void => {
      const response = { 200: binary(mediaType, description.answer) };
      const { operationId, summary } = description;
      const schema = { tags: ["verification"], operationId, summary, description: description.text, response };
      app.get(path, { config: { countedBy: "nobody" }, schema }, async (_request, reply) =>
        reply
          .headers({ "cache-control": `public, max-age=${MAX_AGE_SECONDS}` })
          .type(mediaType)
          .send(Buffer.from(read())),
      );
    };
    publish("/pki/ca.crt", "application/pkix-cert", () => authority.certificate, {
      operationId: "authorityCertificate",
      summary: "The authority's certificate",
      text: "What to trust to accept this service's seals, in DER. No key.",
      answer: "The certificate.",
    });
    publish("/pki/ca.crl", "application/pkix-crl", () => authority.crl(), {
      operationId: "authorityRevocations",
      summary: "The authority's revocation list",
      text: "Which certificates were withdrawn, in DER; signed anew before it lapses. No key.",
      answer: "The list.",
    });
  };

/** What the API's reference says of a file. */
interface Described {
  operationId: string;
  summary: string;
  text: string;
  answer: string;
}
