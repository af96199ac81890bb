import {
  type DocumentEvent,
  type FileReference,
  type Origin,
  type PhotoKind,
  photoUploads,
  sample,
} from "@rubrica/events";
import { type SamplePhotoKind, samplePhoto } from "@rubrica/test-kit";
import type { World } from "./world.ts";

/** A signer of a document that is told, and what they sign. */
export interface Acting {
  documentId: string;
  signerId: string;
  /** Of the signer, in the order of the request. */
  index: number;
  origin: Origin;
}

/** The identity provider's evidence of a signer is fetched: an audit, and photos. */
export const fetchEvidence = async (
  world: World,
  documentId: string,
  signerId: string,
  kept?: readonly { jpeg: Uint8Array; shows: PhotoKind | null }[],
): Promise<FileReference[]> => {
  const audit = await world.files.put(documentId, Buffer.from('{"score":0.98}'), "application/json");
  const files: Extract<DocumentEvent, { type: "EvidenceFetched" }>["data"]["files"] = [
    { signerId, kind: "audit", shows: null, file: audit },
  ];
  for (const { jpeg, shows } of kept ?? [{ jpeg: await samplePhoto("selfie", 120), shows: null }])
    files.push({ signerId, kind: "photo", shows, file: await world.files.put(documentId, jpeg, "image/jpeg") });
  await world.append(
    documentId,
    [{ type: "EvidenceFetched", data: { provider: sample.provider, files }, personal: null }],
    "service/identity",
  );
  return files.map(({ file }) => file);
};

/** The first signer's first selfie is rejected; all else is approved. */
export const takePhotos = async (world: World, { documentId, signerId, index, origin }: Acting): Promise<void> => {
  const hue = (index * 70 + 210) % 360;
  const upload = async (kind: SamplePhotoKind, attempt: number): Promise<FileReference> => {
    const jpeg = await samplePhoto(kind, hue + attempt * 3);
    const file = await world.files.put(documentId, jpeg, "image/jpeg");
    const data = { signerId, attempt, file, validation: "pending" as const };
    await world.append(documentId, [{ type: photoUploads[kind], data, personal: origin }], "signer");
    return file;
  };
  const personal = null;
  const approved = { signerId, provider: sample.provider, attempt: 1, result: "approved" as const, reason: null };
  const selfies = index === 0 ? 2 : 1;
  for (let attempt = 1; attempt <= selfies; attempt += 1) {
    await upload("selfie", attempt);
    const verdict =
      attempt < selfies ? { result: "rejected" as const, reason: "face_not_centered" } : { ...approved, reason: null };
    await world.append(
      documentId,
      [
        {
          type: "SelfieValidated",
          data: { signerId, provider: sample.provider, attempt, result: verdict.result, reason: verdict.reason },
          personal,
        },
      ],
      "service/identity",
    );
  }
  await upload("idFront", 1);
  await world.append(
    documentId,
    [{ type: "IdDocumentValidated", data: { ...approved, side: "front" }, personal }],
    "service/identity",
  );
  await upload("idBack", 1);
  await world.append(
    documentId,
    [
      { type: "IdDocumentValidated", data: { ...approved, side: "back" }, personal },
      { type: "MrzValidated", data: approved, personal },
    ],
    "service/identity",
  );
};
