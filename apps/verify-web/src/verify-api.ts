import { HttpError, type HttpServer, senderOf } from "@rubrica/http";
import type { CertificateStatus, Proof, VerifiedSignature } from "@rubrica/pdf";
import type { Clock } from "@rubrica/runtime";
import { z } from "zod";
import { type GateLimits, limitSenders, TOO_BUSY_TEXT } from "./gate.ts";
import type { Results } from "./result/result.ts";
import { errorAnswers, foundAnswer, NO_FILE_TEXT, type ReportBody } from "./schemas.ts";
import type { Report, Verifier } from "./verifier.ts";

const PDF = "application/pdf";
const MEDIA_TYPES = [PDF, "application/octet-stream"];
/** A certificate's names can be as long as its maker likes. */
const MAX_NAME_LENGTH = 500;

export interface VerifyApiDependencies {
  clock: Clock;
  verifier: Verifier;
  results: Results;
  /** Largest file, in bytes. */
  documentBytes: number;
  gate?: GateLimits | undefined;
}

/** `POST /api/verify`. Register it in a scope of its own: there bodies are files. */
export const verifyApi = (app: HttpServer, dependencies: VerifyApiDependencies): void => {
  const { clock, verifier, results, documentBytes, gate } = dependencies;
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
          "The file is not kept. No key. Answers in JSON; where `Accept` begins with `application/pdf`, with the same as a " +
          "sealed PDF in Spanish, to keep.",
        consumes: MEDIA_TYPES,
        body: z.unknown().meta({ type: "string", format: "binary" }),
        response: { 200: foundAnswer, ...errorAnswers },
      },
    },
    async (request, reply) => {
      if (!Buffer.isBuffer(request.body) || request.body.length === 0)
        throw new HttpError(400, { error: NO_FILE_TEXT });
      const sender = senderOf(request).name;
      const report = await verifier.verify(request.body, sender);
      reply.header("vary", "accept");
      if (!prefersPdf(request.headers.accept)) return bodyOf(report);
      const { buffer, byteOffset, byteLength } = await results.pdf(report, sender);
      reply.header("content-disposition", `attachment; filename="verificacion-${report.sha256.slice(0, 12)}.pdf"`);
      return reply.type(PDF).send(Buffer.from(buffer, byteOffset, byteLength) as never);
    },
  );
};

const prefersPdf = (accept = ""): boolean => /^\s*application\/pdf\s*(?:[;,]|$)/i.test(accept);

const bodyOf = (report: Report): z.infer<typeof ReportBody> => {
  const { verdict, readable, reason, sha256, fileBytes, checkedAt, signatures, document, asSigned } = report;
  return {
    verdict,
    readable,
    reason,
    sha256,
    file_bytes: fileBytes,
    checked_at: new Date(checkedAt).toISOString(),
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
    as_signed: asSigned && { ...asSigned, png: Buffer.from(asSigned.png).toString("base64") },
  };
};

const signatureBody = (signature: VerifiedSignature) => ({
  kind: signature.kind,
  intact: signature.intact,
  fault: signature.fault,
  of_this_service: signature.trusted,
  sealed_as: signature.trusted ? signature.named : null,
  signed_by: signature.certificate?.subject.slice(0, MAX_NAME_LENGTH) ?? null,
  issued_by: signature.certificate?.issuer.slice(0, MAX_NAME_LENGTH) ?? null,
  certificate_sha256: signature.certificate?.sha256 ?? null,
  claimed_at: timeOf(signature.claimedAt),
  timestamped_at: timeOf(signature.timestampedAt),
  timestamped_by: signature.timestampedBy?.slice(0, MAX_NAME_LENGTH) ?? null,
  time: signature.proof && timeBody(signature.proof),
  certificate: signature.certificateStatus && certificateBody(signature.certificateStatus),
  covered_bytes: signature.coveredBytes,
  changes_after: signature.changesAfter,
});

const timeBody = ({ by, at, authority, trusted, certificateStatus }: Proof) => ({
  proven_by: by,
  at: timeOf(at) ?? "",
  authority: authority?.slice(0, MAX_NAME_LENGTH) ?? null,
  trusted,
  authority_status: certificateStatus?.status ?? null,
});

const certificateBody = ({ at, status, validFrom, validUntil, revokedAt, revocationKnownAt }: CertificateStatus) => ({
  status,
  judged_at: timeOf(at) ?? "",
  valid_from: timeOf(validFrom),
  valid_until: timeOf(validUntil),
  revoked_at: timeOf(revokedAt),
  revocation_known_at: timeOf(revocationKnownAt),
});

/** A file can claim any time, also one that there is not. */
const timeOf = (ms: number | null): string | null => {
  const time = new Date(ms ?? Number.NaN);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
};
