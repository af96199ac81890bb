import { createHash } from "node:crypto";
import { photoKinds } from "@rubrica/events";
import { z } from "zod";
import type { IdentityCheck, IdentityPhoto, IdentityVerdict, ProviderFile } from "../port.ts";

/** What of an evidence answer is taken, at most. */
export interface EvidenceLimits {
  maxFiles: number;
  maxFileBytes: number;
}

/** An answer that is not as documented. Says where, and never what stands there. */
export class MalformedAnswer extends Error {
  constructor(message: string) {
    super(message);
    this.name = "MalformedAnswer";
  }
}

const Word = z.string().regex(/^[a-z0-9_]{1,60}$/);

const PhotoVerdictJson = z
  .object({ result: z.enum(["approved", "rejected"]), reason: Word.nullish() })
  .transform(({ result, reason = null }) => ({ result, reason }));

const VerdictJson = z
  .object({
    selfie: PhotoVerdictJson,
    idFront: PhotoVerdictJson,
    idBack: PhotoVerdictJson,
    mrz: z.array(z.string().max(64)).min(1).max(3).nullish(),
    documentError: Word.nullish(),
    rejection: Word.nullish(),
    simulated: z.boolean().nullish(),
  })
  .transform(({ mrz = null, documentError = null, rejection = null, simulated, ...photos }) => ({
    ...photos,
    simulated: simulated ?? false,
    mrz,
    documentError,
    rejection,
  }));

const FileJson = z.object({
  kind: z.enum(["audit", "photo"]),
  shows: z.enum(photoKinds).nullish(),
  name: z.string().regex(/^[\p{L}\p{N}][\p{L}\p{N} ._()-]{0,99}$/u),
  mediaType: z.enum(["application/json", "application/pdf", "text/plain", "image/jpeg", "image/png"]),
  sha256: z.string().regex(/^[0-9a-fA-F]{64}$/),
  base64: z.string().min(1),
});

/** The body of `POST /checks`. */
export const checkJson = ({ checkId, subject, person, photos }: IdentityCheck): string =>
  JSON.stringify({
    checkId,
    subject,
    person: { name: person.name, idNumber: person.idNumber, idNumberCountry: person.idNumberCountry },
    photos: {
      selfie: photoJson(photos.selfie),
      idFront: photoJson(photos.idFront),
      idBack: photoJson(photos.idBack),
    },
  });

const photoJson = ({ attempt, jpeg }: IdentityPhoto) => ({
  attempt,
  mediaType: "image/jpeg",
  sha256: sha256Of(jpeg),
  base64: Buffer.from(jpeg.buffer, jpeg.byteOffset, jpeg.byteLength).toString("base64"),
});

/** @throws {MalformedAnswer} */
export const readVerdict = (body: Buffer): IdentityVerdict => read(VerdictJson, body);

/** The files of `GET /subjects/{subject}/evidence`, each as its hash and its media type say. @throws {MalformedAnswer} */
export const readEvidence = (body: Buffer, { maxFiles, maxFileBytes }: EvidenceLimits): ProviderFile[] =>
  read(z.object({ files: z.array(FileJson).max(maxFiles) }), body).files.map(
    ({ kind, shows = null, name, mediaType, sha256, base64 }, index) => {
      const bytes = Buffer.from(base64, "base64");
      if (bytes.length > maxFileBytes) throw new MalformedAnswer(`files.${index} is larger than ${maxFileBytes} bytes`);
      if (sha256Of(bytes) !== sha256.toLowerCase()) throw new MalformedAnswer(`files.${index} has another SHA-256`);
      if (!LOOKS_LIKE[mediaType](bytes)) throw new MalformedAnswer(`files.${index} is no ${mediaType}`);
      return { kind, shows: kind === "photo" ? shows : null, name, mediaType, bytes };
    },
  );

const startsWith = (signature: string) => (bytes: Buffer) =>
  bytes.subarray(0, signature.length).equals(Buffer.from(signature, "latin1"));

const isText = (bytes: Buffer): boolean => decoded(bytes) !== undefined;

const LOOKS_LIKE: Record<ProviderFile["mediaType"], (bytes: Buffer) => boolean> = {
  "image/jpeg": startsWith("\xff\xd8\xff"),
  "image/png": startsWith("\x89PNG\r\n\x1a\n"),
  "application/pdf": startsWith("%PDF-"),
  "application/json": (bytes) => parsed(bytes) !== undefined,
  "text/plain": isText,
};

const read = <Of>(schema: z.ZodType<Of>, body: Buffer): Of => {
  const json = parsed(body);
  if (json === undefined) throw new MalformedAnswer("the answer is no JSON");
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new MalformedAnswer(`${issue?.path.join(".") || "the answer"}: ${issue?.message}`);
};

/** What a parser says of bad JSON quotes it: nobody gets to read that. */
const parsed = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(decoded(bytes) ?? "");
  } catch {
    return undefined;
  }
};

const decoded = (bytes: Buffer): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
};

const sha256Of = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
