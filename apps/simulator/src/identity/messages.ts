import { createHash } from "node:crypto";
import { BadRequestError } from "@rubrica/http";
import type { IdentityCheck, IdentityPhoto, ProviderFile } from "@rubrica/identity";
import { z } from "zod";

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const PhotoJson = z.object({
  attempt: z.int().positive(),
  mediaType: z.literal("image/jpeg"),
  sha256: Sha256,
  base64: z.string().min(1),
});

/** The body of `POST /checks`, as docs/identity-provider.md has it. */
export const CheckJson = z.object({
  checkId: z.string().min(1).max(200),
  subject: z.string().min(1).max(200),
  person: z.object({
    name: z.string().max(1_000),
    idNumber: z.string().max(200),
    idNumberCountry: z.string().max(2).nullable(),
  }),
  photos: z.object({ selfie: PhotoJson, idFront: PhotoJson, idBack: PhotoJson }),
});

const sha256Of = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

const photoOf = (kind: string, { attempt, sha256, base64 }: z.infer<typeof PhotoJson>): IdentityPhoto => {
  const jpeg = Buffer.from(base64, "base64");
  if (sha256Of(jpeg) !== sha256)
    throw new BadRequestError([{ path: `photos.${kind}`, message: "has another SHA-256" }]);
  return { attempt, jpeg };
};

/** The check that a body asks for. @throws {BadRequestError} when a photo is not the one that it says. */
export const checkOf = ({
  photos: { selfie, idFront, idBack },
  ...check
}: z.infer<typeof CheckJson>): IdentityCheck => ({
  ...check,
  photos: {
    selfie: photoOf("selfie", selfie),
    idFront: photoOf("idFront", idFront),
    idBack: photoOf("idBack", idBack),
  },
});

/** A file as the evidence has it. */
export const fileJson = ({ kind, shows, name, mediaType, bytes }: ProviderFile) => ({
  kind,
  ...(shows === null ? {} : { shows }),
  name,
  mediaType,
  sha256: sha256Of(bytes),
  base64: Buffer.from(bytes).toString("base64"),
});
