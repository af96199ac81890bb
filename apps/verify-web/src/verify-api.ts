import { HttpError, type HttpServer, senderOf } from "@rubrica/http";
import type { VerifiedSignature } from "@rubrica/pdf";
import type { Clock } from "@rubrica/runtime";
import { z } from "zod";
import { type GateLimits, limitSenders, TOO_BUSY_TEXT } from "./gate.ts";
import { errorAnswers, NO_FILE_TEXT, ReportBody } from "./schemas.ts";
import type { Report, Verifier } from "./verifier.ts";

const MEDIA_TYPES = ["application/pdf", "application/octet-stream"];
/** A certificate's names can be as long as its maker likes. */
const MAX_NAME_LENGTH = 500;

export interface VerifyApiDependencies {
  clock: Clock;
  verifier: Verifier;
  /** Largest file, in bytes. */
  documentBytes: number;
  gate?: GateLimits | undefined;
}

/** `POST /api/verify`. Register it in a scope of its own: there bodies are files. */
export const verifyApi = (app: HttpServer, { clock, verifier, documentBytes, gate }: VerifyApiDependencies): void => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(MEDIA_TYPES, { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  limitSenders(app, clock, gate);
  app.post(
    "/api/verify",
    {
      bodyLimit: documentBytes,
      config: { errors: { badRequest: () => ({ error: NO_FILE_TEXT }), busy: { error: TOO_BUSY_TEXT } } },
      schema: {
        tags: ["verification"],
        operationId: "verifyFile",
        summary: "Check a file",
        description:
          "Checks every signature of a PDF, and whether it is a signed document of this service whose record is intact. " +
          "The file is not kept. No key.",
        consumes: MEDIA_TYPES,
        body: z.unknown().meta({ type: "string", format: "binary" }),
        response: { 200: ReportBody, ...errorAnswers },
      },
    },
    async (request) => {
      if (!Buffer.isBuffer(request.body) || request.body.length === 0)
        throw new HttpError(400, { error: NO_FILE_TEXT });
      return bodyOf(await verifier.verify(request.body, senderOf(request).name));
    },
  );
};

const bodyOf = ({ verdict, readable, reason, sha256, signatures, document }: Report): z.infer<typeof ReportBody> => ({
  verdict,
  readable,
  reason,
  sha256,
  signatures: signatures.map(signatureBody),
  document: document && {
    id_seguimiento: document.documentId,
    sealed_at: document.sealedAt,
    level: document.level,
    chain_intact: document.chainIntact,
    demo: document.demo,
    simulated: document.simulated,
    own_authority: document.ownAuthority,
  },
});

const signatureBody = (signature: VerifiedSignature) => ({
  kind: signature.kind,
  intact: signature.intact,
  fault: signature.fault,
  of_this_service: signature.trusted,
  signed_by: signature.certificate?.subject.slice(0, MAX_NAME_LENGTH) ?? null,
  issued_by: signature.certificate?.issuer.slice(0, MAX_NAME_LENGTH) ?? null,
  certificate_sha256: signature.certificate?.sha256 ?? null,
  claimed_at: timeOf(signature.claimedAt),
  timestamped_at: timeOf(signature.timestampedAt),
  timestamped_by: signature.timestampedBy?.slice(0, MAX_NAME_LENGTH) ?? null,
  changes_after: signature.changesAfter,
});

/** A file can claim any time, also one that there is not. */
const timeOf = (ms: number | null): string | null => {
  const time = new Date(ms ?? Number.NaN);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
};
