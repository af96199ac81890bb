import type { Sent } from "./requests.ts";

/** Another account, and what it has. */
export interface Neighbour {
  apiKey: string;
  /** A document of that account that is sealed. */
  documentId: string;
  /** The path of one of its signers in the signer's API. */
  signing: string;
  /** A small PDF, as Base64. */
  pdf: string;
}

/** What a neighbour asks. */
export const KINDS = ["request", "status", "file", "page"] as const;
export type Kind = (typeof KINDS)[number];

/** A link is asked less than a key may be. */
const ORDER: readonly Kind[] = ["request", "status", "file", "page", "request", "status", "file"];

/** An account's ordinary requests: one of a kind, or the next one. */
export const ordinaryRequests = ({ apiKey, documentId, signing, pdf }: Neighbour) => {
  const headers = { "x-api-key": apiKey };
  let number = 0;
  const document = (): Sent => {
    const signer = { name: "Ana Paz", dni: "30123456", dni_country: "AR", phone: `54911${50_000_000 + number}` };
    const body = JSON.stringify({ document: pdf, document_name: "Lease", datos_firmantes: [signer] });
    return { path: "/api/v2/documentSet", headers: { ...headers, "content-type": "application/json" }, body };
  };
  const kinds: Record<Kind, () => Sent> = {
    request: document,
    status: () => ({ path: `/api/v2/signatureStatus/${documentId}`, headers }),
    file: () => ({ path: `/api/v2/documents/${documentId}`, headers }),
    page: () => ({ path: `${signing}/document` }),
  };
  const make = (kind: Kind): Sent => {
    number += 1;
    return kinds[kind]();
  };
  return { make, next: (): Kind => ORDER[number % ORDER.length] ?? "status" };
};
