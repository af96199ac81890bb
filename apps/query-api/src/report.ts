import { binary, callerOf, HttpError, type HttpPlugin, senderOf } from "@rubrica/http";
import { documents } from "@rubrica/read-models";
import { type Reports, ReportUnavailable } from "@rubrica/report";
import { z } from "zod";
import type { DocumentFinder } from "./find-document.ts";
import { errorOf, IdParams, notYetOrBusy } from "./schemas.ts";
import { texts } from "./texts.ts";

/** A document's legal report. @throws {HttpError} 404 before the document's end. */
export const reportOf = async (
  reports: Pick<Reports, "build">,
  documentId: string,
  caller: string,
): Promise<Buffer> => {
  try {
    const { buffer, byteOffset, byteLength } = await reports.build(documentId, caller);
    return Buffer.from(buffer, byteOffset, byteLength);
  } catch (error) {
    if (error instanceof ReportUnavailable) throw new HttpError(404, texts.reportNotThere);
    throw error;
  }
};

const notFound = z
  .object({ error: z.string() })
  .meta({ examples: [texts.unknownId, texts.reportNotThere] })
  .describe("Unknown or not the caller's; or the document has not ended (or is not sealed) yet.");

/** `GET /api/v2/reporte/{id_seguimiento}`: the legal report, made anew on every call. */
export const legalReport =
  (finder: DocumentFinder, reports: Pick<Reports, "build">): HttpPlugin =>
  async (app) => {
    app.get(
      "/api/v2/reporte/:id_seguimiento",
      {
        config: { errors: { internal: texts.reportFailed } },
        schema: {
          tags: ["documents"],
          operationId: "legalReport",
          summary: "Download the legal report",
          description:
            "The evidence of a document that was signed or rejected, as a sealed PDF: who, when, how authenticated, " +
            "every event with its hash. Made anew on every call.",
          params: IdParams,
          response: {
            200: binary("application/pdf", "The legal report."),
            404: notFound,
            500: errorOf(texts.reportFailed, "Something failed on this side."),
            503: notYetOrBusy,
          },
        },
      },
      async (request, reply) => {
        const { accountId } = callerOf(request);
        const found = await finder.find(documents, request.params.id_seguimiento, accountId);
        if (!found) throw new HttpError(404, texts.unknownId);
        const { documentId } = found.view;
        const bytes = await reportOf(reports, documentId, senderOf(request).name);
        reply.header("content-disposition", `attachment; filename="${documentId}-informe.pdf"`);
        return reply.type("application/pdf").send(bytes);
      },
    );
  };
