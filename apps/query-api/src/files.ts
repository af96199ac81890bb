import type { FileReference } from "@rubrica/events";
import { binary, callerOf, HttpError, type HttpPlugin } from "@rubrica/http";
import { type DocumentRecord, documents } from "@rubrica/read-models";
import { FileMissingError, type FileStore } from "@rubrica/storage";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import type { QueryApiDependencies } from "./dependencies.ts";
import type { DocumentFinder } from "./find-document.ts";
import type { People } from "./people.ts";
import { photoKindNamed } from "./photo-kinds.ts";
import { erased, errorOf, IdParams, notYet, PhotoParams } from "./schemas.ts";
import { texts } from "./texts.ts";

type Files = Pick<FileStore, "get">;

/** The document that a caller asks for by a path. @throws {HttpError} 404 when it is not theirs to read, 410 when it was erased. */
export const documentAskedFor = async (
  finder: DocumentFinder,
  request: FastifyRequest<{ Params: { id_seguimiento: string } }>,
): Promise<DocumentRecord> => {
  const found = await finder.find(documents, request.params.id_seguimiento, callerOf(request).accountId);
  if (!found) throw new HttpError(404, texts.unknownId);
  if (found.view.erased) throw new HttpError(410, texts.erased);
  return found.view;
};

/** A file's bytes. @throws {HttpError} 404 when it is not there (yet), or was forgotten. */
export const bytesOf = async (
  files: Files,
  documentId: string,
  file: FileReference | null | undefined,
): Promise<Buffer> => {
  if (!file) throw new HttpError(404, texts.fileNotThere);
  try {
    return await files.get(documentId, file.sha256);
  } catch (error) {
    if (error instanceof FileMissingError) throw new HttpError(404, texts.fileNotThere);
    throw error;
  }
};

const notFound = z
  .object({ error: z.string() })
  .meta({ examples: [texts.unknownId, texts.fileNotThere] })
  .describe("Unknown or not the caller's; or its file is not there (yet).");

/** Where one of a document's PDFs is, and how it is described. */
interface PdfRoute {
  url: "/api/v2/documents/:id_seguimiento" | "/api/v2/documents/:id_seguimiento/sent";
  operationId: string;
  summary: string;
  description: string;
  content: string;
  fileOf: (document: DocumentRecord) => FileReference | null | undefined;
  /** Of the file's name, after the document's id. */
  ending: string;
}

const pdfRoute =
  (finder: DocumentFinder, files: Files, { url, content, fileOf, ending, ...told }: PdfRoute): HttpPlugin =>
  async (app) => {
    app.get(
      url,
      {
        config: { errors: { internal: texts.documentFailed } },
        schema: {
          tags: ["documents"],
          ...told,
          params: IdParams,
          response: {
            200: binary("application/pdf", content),
            404: notFound,
            410: erased,
            500: errorOf(texts.documentFailed, "Something failed on this side."),
            503: notYet,
          },
        },
      },
      async (request, reply) => {
        const document = await documentAskedFor(finder, request);
        const bytes = await bytesOf(files, document.documentId, fileOf(document));
        reply.header("content-disposition", `attachment; filename="${document.documentId}${ending}"`);
        return reply.type("application/pdf").send(bytes);
      },
    );
  };

/** `GET /api/v2/documents/{id_seguimiento}`: the signed, sealed PDF. */
export const signedDocument = (finder: DocumentFinder, files: Files): HttpPlugin =>
  pdfRoute(finder, files, {
    url: "/api/v2/documents/:id_seguimiento",
    operationId: "signedDocument",
    summary: "Download the signed document",
    description: "The PDF as it was signed and sealed, once every signer has signed.",
    content: "The sealed PDF.",
    fileOf: ({ sealed }) => sealed,
    ending: ".pdf",
  });

/** `GET /api/v2/documents/{id_seguimiento}/sent`: the PDF as it was sent. */
export const sentDocument = (finder: DocumentFinder, files: Files): HttpPlugin =>
  pdfRoute(finder, files, {
    url: "/api/v2/documents/:id_seguimiento/sent",
    operationId: "sentDocument",
    summary: "Download the document as it was sent",
    description:
      "The PDF as it was sent. Where it was changed to be signed, the request's `rubrica-warnings` and the legal " +
      "report name its hash and the one of what is signed. Of a bulk call's row nobody sent a PDF: 404.",
    content: "The PDF, with all that was taken out of it to be signed.",
    fileOf: ({ sent }) => sent,
    ending: "-sent.pdf",
  });

const photoOf = (
  document: DocumentRecord,
  people: People,
  { id_custom, kind: kindName, attempt }: z.infer<typeof PhotoParams>,
) => {
  const kind = photoKindNamed(kindName);
  return document.signers
    .filter(({ signerId }) => people?.get(signerId)?.idCustom === id_custom)
    .flatMap(({ photos }) => photos)
    .find((photo) => photo.kind === kind && String(photo.attempt) === attempt)?.file;
};

/** `GET /api/v2/signers/{id_seguimiento}/photos/{id_custom}/{kind}/{attempt}`: one photo, as the event log links it. */
export const signerPhoto =
  (finder: DocumentFinder, files: Files, peopleOf: QueryApiDependencies["peopleOf"]): HttpPlugin =>
  async (app) => {
    app.get(
      "/api/v2/signers/:id_seguimiento/photos/:id_custom/:kind/:attempt",
      {
        config: { errors: { internal: texts.photoFailed } },
        schema: {
          tags: ["documents"],
          operationId: "signerPhoto",
          summary: "Download one photo of a signer",
          description: "The photo of an upload, whatever became of it; the event log's `link` leads here.",
          params: PhotoParams,
          response: {
            200: binary("image/jpeg", "The photo."),
            404: notFound,
            410: erased,
            500: errorOf(texts.photoFailed, "Something failed on this side."),
            503: notYet,
          },
        },
      },
      async (request, reply) => {
        const document = await documentAskedFor(finder, request);
        const [people = null] = await peopleOf(document.documentId, []);
        const file = photoOf(document, people, request.params);
        const bytes = await bytesOf(files, document.documentId, file);
        return reply.type(file?.mediaType ?? "image/jpeg").send(bytes);
      },
    );
  };
