import { Readable } from "node:stream";
import type { FileReference, PhotoKind } from "@rubrica/events";
import type { HttpPlugin } from "@rubrica/http";
import type { DocumentRecord, SignerRecord } from "@rubrica/read-models";
import { FileMissingError, type FileStore } from "@rubrica/storage";
import type { QueryApiDependencies } from "./dependencies.ts";
import { documentAskedFor } from "./files.ts";
import type { DocumentFinder } from "./find-document.ts";
import type { People, Person } from "./people.ts";
import { erased, errorOf, IdParams, MetadataBody, notYet, type SignerMetadata } from "./schemas.ts";
import { texts } from "./texts.ts";

type Files = Pick<FileStore, "get">;

/** A file as a data URI; null when there is none, or it was forgotten with its person. */
const dataUri = async (files: Files, documentId: string, file: FileReference | null): Promise<string | null> => {
  if (!file) return null;
  try {
    const bytes = await files.get(documentId, file.sha256);
    return `data:${file.mediaType};base64,${bytes.toString("base64")}`;
  } catch (error) {
    if (error instanceof FileMissingError) return null;
    throw error;
  }
};

const latestPhoto = ({ photos }: SignerRecord, kind: PhotoKind): FileReference | null =>
  photos.filter((photo) => photo.kind === kind).sort((a, b) => b.attempt - a.attempt)[0]?.file ?? null;

const metadataOf = async (
  files: Files,
  documentId: string,
  signer: SignerRecord,
  person: Person | undefined,
): Promise<SignerMetadata> => ({
  id_custom: person?.idCustom ?? null,
  nombre: person?.name ?? null,
  dni: person?.idNumber ?? null,
  celular: person?.phone ?? null,
  hora_firma: signer.signedAt,
  wpp_sended_at: signer.messageSentAt,
  selfie: await dataUri(files, documentId, latestPhoto(signer, "selfie")),
  dni_frontal: await dataUri(files, documentId, latestPhoto(signer, "idFront")),
  dni_trasera: await dataUri(files, documentId, latestPhoto(signer, "idBack")),
  garabato: await dataUri(files, documentId, signer.drawing),
});

/**
 * The body, one signer at a time: the photos of fifty signers at once would not fit into memory, nor into one string.
 * The first signer is read before anything goes out, so that a file store that is down is still a 500.
 */
async function* bodyOf(
  document: DocumentRecord,
  people: People,
  files: Files,
): AsyncGenerator<string, void, undefined> {
  let before = `{"id_seguimiento":${JSON.stringify(document.documentId)},"signers":[`;
  for (const signer of document.signers) {
    const metadata = await metadataOf(files, document.documentId, signer, people?.get(signer.signerId));
    yield before + JSON.stringify(metadata);
    before = ",";
  }
  yield "]}";
}

async function* startedWith(first: string, rest: AsyncGenerator<string, void, undefined>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}

/** `GET /api/v2/signers/{id_seguimiento}/metadata`: who the signers are, when they signed, and their photos. */
export const signerMetadata =
  (finder: DocumentFinder, files: Files, peopleOf: QueryApiDependencies["peopleOf"]): HttpPlugin =>
  async (app) => {
    app.get(
      "/api/v2/signers/:id_seguimiento/metadata",
      {
        config: { errors: { internal: texts.metadataFailed } },
        schema: {
          tags: ["documents"],
          operationId: "signerMetadata",
          summary: "Signer metadata and photos",
          description: "The signers of a document, with each one's latest photos. Sees every earlier answer.",
          params: IdParams,
          response: {
            200: MetadataBody,
            404: errorOf(texts.unknownId, "Unknown, or of neither the account nor its team."),
            410: erased,
            500: errorOf(texts.metadataFailed, "Something failed on this side."),
            503: notYet,
          },
        },
      },
      async (request, reply) => {
        const document = await documentAskedFor(finder, request);
        const people = (await peopleOf(document.documentId, document.corrections)).at(-1) ?? null;
        const body = bodyOf(document, people, files);
        const { value: first } = await body.next();
        reply.header("content-type", "application/json; charset=utf-8");
        return reply.send(Readable.from(startedWith(first ?? "", body), { objectMode: false }) as never);
      },
    );
  };
