import { currentConsent } from "@rubrica/domain";
import {
  type DocumentEvent,
  derivedId,
  type FileReference,
  type Origin,
  type PhotoKind,
  sample,
} from "@rubrica/events";
import { type SamplePhotoKind, sampleDrawing, samplePdf, samplePhoto } from "@rubrica/test-kit";
import sharp from "sharp";
import { plainRequest } from "../document-history.ts";
import type { World } from "./world.ts";

/** A signer of a story. */
export interface Person {
  name: string;
  idNumber?: string;
  country?: string | null;
  phone?: string;
  timeZone?: string | null;
}

/** How a document's life goes. */
export interface Story {
  people: readonly Person[];
  documentName?: string;
  businessName?: string;
  /** Photos are taken, and validated. */
  photos?: boolean;
  /** The identity provider's evidence of the first signer was fetched: an audit and a photo. */
  fetched?: boolean;
  /** The photos among it, instead of one of which nobody says what it shows. */
  kept?: readonly { jpeg: Uint8Array; shows: PhotoKind | null }[];
  /** The second signer rejects it, if there is one; else the first. */
  rejectedFor?: string;
  /** The file that is asked to be signed; a sample when it is not given. */
  original?: Uint8Array;
  /** It stops before its end. */
  unfinished?: boolean;
  /** All have signed, and it is not sealed yet. */
  unsealed?: boolean;
  /** How often the first signer opens the page. */
  openings?: number;
  /** Messages are only simulated. */
  simulated?: boolean;
  /** Whether it is known from where they acted; default yes. */
  addressesKnown?: boolean;
}

export interface Told {
  documentId: string;
  original: Buffer;
  sealed: Buffer | null;
  /** The identity provider's, those that were fetched. */
  providerFiles: readonly FileReference[];
}

const browsers = [
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1",
  "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.6478.71 Mobile Safari/537.36",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0",
];

const originOf = (index: number): Origin => ({
  ip: index % 2 === 0 ? `203.0.113.${index + 7}` : "2001:db8:85a3::8a2e:370:7334",
  userAgent: browsers[index % browsers.length] ?? "",
});

const drawingPng = Buffer.from(sampleDrawing.slice(sampleDrawing.indexOf(",") + 1), "base64");

const uploads = { selfie: "SelfieUploaded", idFront: "IdFrontUploaded", idBack: "IdBackUploaded" } as const;

/** Lets a document live, event by event, as the service would. */
export const tell = async (world: World, story: Story): Promise<Told> => {
  const { people, photos = false, rejectedFor, unfinished = false, unsealed = false, openings = 1 } = story;
  const { addressesKnown = true, simulated = false } = story;
  const documentId = derivedId("story", String(world.clock.now()), people.map(({ name }) => name).join());
  const put = (bytes: Uint8Array, type: string) => world.files.put(documentId, bytes, type);
  const original = Buffer.from(story.original ?? (await samplePdf({ pages: 3 })));
  const file = await put(original, "application/pdf");
  const signerIds = people.map((_, index) => derivedId("signer", documentId, String(index)));
  const persons = people.map(({ name, idNumber, country = "AR", phone }, index) => ({
    idCustom: signerIds[index] ?? "",
    name,
    idNumber: idNumber ?? String(30_123_456 + index * 1_111),
    idNumberCountry: country,
    email: null,
    phone: phone ?? `54911${String(22_334_455 + index)}`,
  }));
  await world.append(
    documentId,
    [
      {
        type: "DocumentRequested",
        data: {
          ...plainRequest,
          requester: { accountName: "ACME S.A.", keyId: sample.keyId, keyName: "producción" },
          documentId,
          accountId: sample.accountId,
          file,
          pageCount: 3,
          authentication: photos ? "biometric" : "link",
          requestPhotos: photos,
          validatePhotos: photos,
          signers: signerIds.map((signerId, order) => ({
            signerId,
            lineId: sample.lineId,
            order,
            group: order,
            placement: { pages: "last", x: 40, y: 700 },
          })),
        },
        personal: {
          requestIp: "198.51.100.4",
          documentName: story.documentName ?? "Contrato de locación",
          businessName: story.businessName ?? "ACME Propiedades S.A.",
          messageText: null,
          customParameters: null,
          webhook: null,
          signers: persons,
          variables: null,
        },
      },
    ],
    "integrator",
  );
  const rejecting = rejectedFor === undefined ? -1 : Math.min(1, people.length - 1);
  for (const [index, signerId] of signerIds.entries()) {
    const origin = { ...originOf(index), ...(addressesKnown ? {} : { ip: null }) };
    const messageId = derivedId("message", signerId);
    const message = { signerId, kind: "template" as const, messageId };
    const sent = { ...message, providerMessageId: `sim.${index}` };
    const personal = null;
    await world.append(
      documentId,
      [{ type: "SignerTurnCame", data: { signerId, lineId: sample.lineId }, personal }],
      "service/turns",
    );
    await world.append(
      documentId,
      [
        {
          type: "MessageAttempted",
          data: { ...message, medium: "wpp", attempt: 1, provider: { ...sample.provider, simulated } },
          personal,
        },
        { type: "MessageSent", data: { ...sent, medium: "wpp", withLink: false, attempt: 1 }, personal },
      ],
      "service/messages",
    );
    await world.append(documentId, [{ type: "MessageDelivered", data: sent, personal }], "provider");
    await world.append(
      documentId,
      [{ type: "TemplateAnswered", data: { signerId, providerMessageId: `sim.${index}` }, personal }],
      "provider",
    );
    await world.append(
      documentId,
      [{ type: "SignatureLinkSent", data: { ...sent, kind: "link", medium: "wpp", attempt: 1 }, personal }],
      "service/messages",
    );
    for (let opening = 0; opening < (index === 0 ? openings : 1); opening += 1) {
      await world.append(documentId, [{ type: "SigningPageOpened", data: { signerId }, personal: origin }], "signer");
    }
    if (unfinished) break;
    if (index === rejecting) {
      await world.append(
        documentId,
        [{ type: "Rejected", data: { signerId }, personal: { ...origin, reason: rejectedFor ?? "" } }],
        "signer",
      );
      return { documentId, original, sealed: null, providerFiles: [] };
    }
    if (photos) await takePhotos(world, documentId, signerId, index, origin);
    const drawing = await put(drawingPng, "image/png");
    const jpeg = await sharp(drawingPng).flatten({ background: "white" }).jpeg().toBuffer();
    const drawingJpeg = await put(jpeg, "image/jpeg");
    const documentSha256 = file.sha256;
    const timeZone = people[index]?.timeZone ?? null;
    const consentVersion = currentConsent.version;
    await world.append(
      documentId,
      [
        { type: "ConsentGiven", data: { signerId, consentVersion, documentSha256 }, personal: origin },
        {
          type: "DocumentSigned",
          data: { signerId, documentSha256, drawing, drawingJpeg, timeZone, method: "drawn" },
          personal: origin,
        },
        ...(index === people.length - 1 ? [{ type: "DocumentCompleted", data: {}, personal: null } as const] : []),
      ],
      "signer",
    );
  }
  if (unfinished || unsealed) return { documentId, original, sealed: null, providerFiles: [] };
  const { identity, pdf, clock } = world;
  const { bytes, level, shortfall, certificateSha256 } = await pdf.seal(original, { identity, sealedAt: clock.now() });
  const sealed = Buffer.from(bytes);
  const sealedFile = await put(sealed, "application/pdf");
  await world.append(
    documentId,
    [
      {
        type: "DocumentSealed",
        data: {
          ownAuthority: true,
          timestamp: null,
          file: sealedFile,
          level,
          shortfall,
          certificateSha256,
          sendCopies: false,
          toComplete: false,
          provenUntil: null,
        },
        personal: null,
      },
    ],
    "service/sealing",
  );
  const providerFiles = story.fetched ? await fetchEvidence(world, documentId, signerIds[0] ?? "", story.kept) : [];
  return { documentId, original, sealed, providerFiles };
};

const fetchEvidence = async (
  world: World,
  documentId: string,
  signerId: string,
  kept?: Story["kept"],
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
const takePhotos = async (
  world: World,
  documentId: string,
  signerId: string,
  index: number,
  origin: Origin,
): Promise<void> => {
  const hue = (index * 70 + 210) % 360;
  const upload = async (kind: SamplePhotoKind, attempt: number): Promise<FileReference> => {
    const jpeg = await samplePhoto(kind, hue + attempt * 3);
    const file = await world.files.put(documentId, jpeg, "image/jpeg");
    const data = { signerId, attempt, file, validation: "pending" as const };
    await world.append(documentId, [{ type: uploads[kind], data, personal: origin }], "signer");
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
