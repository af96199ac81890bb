import { currentConsent } from "@rubrica/domain";
import {
  type DocumentEventOf,
  derivedId,
  type FileReference,
  type Origin,
  type PhotoKind,
  sample,
} from "@rubrica/events";
import { sampleDrawing, samplePdf } from "@rubrica/test-kit";
import sharp from "sharp";
import { plainRequest } from "../document-history.ts";
import { type Acting, fetchEvidence, takePhotos } from "./identity-story.ts";
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
  /** As it was sent, where it was changed to be signed. */
  sent?: Uint8Array;
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

/** Lets a document live, event by event, as the service would. */
export const tell = async (world: World, story: Story): Promise<Told> => {
  const { people, photos = false, rejectedFor, unfinished = false, unsealed = false, openings = 1 } = story;
  const { addressesKnown = true, simulated = false } = story;
  const documentId = derivedId("story", String(world.clock.now()), people.map(({ name }) => name).join());
  const original = Buffer.from(story.original ?? (await samplePdf({ pages: 3 })));
  const file = await world.files.put(documentId, original, "application/pdf");
  const signerIds = people.map((_, index) => derivedId("signer", documentId, String(index)));
  const sentFile = story.sent ? await world.files.put(documentId, story.sent, "application/pdf") : file;
  await request(world, story, { documentId, file, sentFile, signerIds });
  const unsealedYet = { documentId, original, sealed: null, providerFiles: [] };
  const rejecting = rejectedFor === undefined ? -1 : Math.min(1, people.length - 1);
  for (const [index, signerId] of signerIds.entries()) {
    const acting = {
      documentId,
      signerId,
      index,
      origin: { ...originOf(index), ...(addressesKnown ? {} : { ip: null }) },
    };
    const personal = acting.origin;
    await reach(world, acting, simulated);
    for (let opening = 0; opening < (index === 0 ? openings : 1); opening += 1) {
      await world.append(documentId, [{ type: "SigningPageOpened", data: { signerId }, personal }], "signer");
    }
    if (unfinished) break;
    if (index === rejecting) {
      const reason = rejectedFor ?? "";
      await world.append(
        documentId,
        [{ type: "Rejected", data: { signerId }, personal: { ...personal, reason } }],
        "signer",
      );
      return unsealedYet;
    }
    if (photos) await takePhotos(world, acting);
    const timeZone = people[index]?.timeZone ?? null;
    await sign(world, acting, { documentSha256: file.sha256, timeZone, isLast: index === people.length - 1 });
  }
  if (unfinished || unsealed) return unsealedYet;
  const sealed = await seal(world, documentId, original);
  const providerFiles = story.fetched ? await fetchEvidence(world, documentId, signerIds[0] ?? "", story.kept) : [];
  return { documentId, original, sealed, providerFiles };
};

type Requested = DocumentEventOf<"DocumentRequested">["data"];

const request = async (
  world: World,
  { people, photos = false, documentName, businessName }: Story,
  { signerIds, ...of }: Pick<Requested, "documentId" | "file" | "sentFile"> & { signerIds: readonly string[] },
): Promise<void> => {
  const persons = people.map(({ name, idNumber, country = "AR", phone }, index) => ({
    idCustom: signerIds[index] ?? "",
    name,
    idNumber: idNumber ?? String(30_123_456 + index * 1_111),
    idNumberCountry: country,
    email: null,
    phone: phone ?? `54911${String(22_334_455 + index)}`,
  }));
  await world.append(
    of.documentId,
    [
      {
        type: "DocumentRequested",
        data: {
          ...plainRequest,
          requester: { accountName: "ACME S.A.", keyId: sample.keyId, keyName: "producción" },
          ...of,
          accountId: sample.accountId,
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
          documentName: documentName ?? "Contrato de locación",
          businessName: businessName ?? "ACME Propiedades S.A.",
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
};

/** The signer's turn comes, they are asked, answer, and get their link. */
const reach = async (world: World, { documentId, signerId, index }: Acting, simulated: boolean): Promise<void> => {
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
};

const sign = async (
  world: World,
  { documentId, signerId, origin }: Acting,
  { documentSha256, timeZone, isLast }: { documentSha256: string; timeZone: string | null; isLast: boolean },
): Promise<void> => {
  const drawing = await world.files.put(documentId, drawingPng, "image/png");
  const jpeg = await sharp(drawingPng).flatten({ background: "white" }).jpeg().toBuffer();
  const drawingJpeg = await world.files.put(documentId, jpeg, "image/jpeg");
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
      ...(isLast ? [{ type: "DocumentCompleted", data: {}, personal: null } as const] : []),
    ],
    "signer",
  );
};

const seal = async (world: World, documentId: string, original: Buffer): Promise<Buffer> => {
  const { identity, pdf, clock } = world;
  const { bytes, level, shortfall, certificateSha256 } = await pdf.seal(original, { identity, sealedAt: clock.now() });
  const sealed = Buffer.from(bytes);
  const file = await world.files.put(documentId, sealed, "application/pdf");
  await world.append(
    documentId,
    [
      {
        type: "DocumentSealed",
        data: {
          ownAuthority: true,
          timestamp: null,
          file,
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
  return sealed;
};
