import { binary, countLink, countStranger, HttpError, type HttpPlugin } from "@rubrica/http";
import { documents } from "@rubrica/read-models";
import { z } from "zod";
import type { QueryApiDependencies } from "./dependencies.ts";
import { bytesOf } from "./files.ts";
import type { DocumentFinder } from "./find-document.ts";
import { ownerOf } from "./owner.ts";
import { reportOf } from "./report.ts";
import { erased, errorOf, notYetOrBusy } from "./schemas.ts";
import { texts } from "./texts.ts";

const NAME = /^(.*)\.pdf$/s;

const Params = z.object({ file: z.string().describe("The token of a legacy callback's address, with `.pdf`.") });

/**
 * `GET /files/{token}.pdf`: a legacy document's signed file or report, for anyone with its address. Only legacy callbacks
 * name such addresses; current documents have none.
 */
export const publicFiles =
  (
    { events, fileTokens, files, reports }: Pick<QueryApiDependencies, "events" | "fileTokens" | "files" | "reports">,
    finder: DocumentFinder,
  ): HttpPlugin =>
  async (app) => {
    app.get(
      "/files/:file",
      {
        config: { errors: { internal: texts.documentFailed }, countedBy: "link" },
        schema: {
          tags: ["documents"],
          operationId: "publicFile",
          summary: "Download a legacy document's file",
          description: "The signed document or the legal report, at the address that a legacy callback gave. No key.",
          params: Params,
          response: {
            200: binary("application/pdf", "The file."),
            404: errorOf(texts.fileNotThere, "No such file, or it is not there (yet)."),
            410: erased,
            500: errorOf(texts.documentFailed, "Something failed on this side."),
            503: notYetOrBusy,
          },
        },
      },
      async (request, reply) => {
        const opened = fileTokens.read(NAME.exec(request.params.file)?.[1] ?? "");
        if (!opened) {
          countStranger(request, reply);
          throw new HttpError(404, texts.fileNotThere);
        }
        const { documentId } = opened;
        countLink(request, reply, `${documentId}/${opened.kind}`);
        if (opened.kind === "report") {
          return reply.type("application/pdf").send(await reportOf(reports, documentId, `document:${documentId}`));
        }
        const found = await finder.find(documents, documentId, (await ownerOf(events, documentId)) ?? "");
        if (found?.view.erased) throw new HttpError(410, texts.erased);
        const bytes = await bytesOf(files, documentId, found?.view.sealed);
        return reply.type("application/pdf").send(bytes);
      },
    );
  };
