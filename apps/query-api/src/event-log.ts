import { callerOf, HttpError, type HttpPlugin } from "@rubrica/http";
import { type EventLogRecord, eventLog, type LogEntry } from "@rubrica/read-models";
import type { QueryApiDependencies } from "./dependencies.ts";
import type { DocumentFinder } from "./find-document.ts";
import type { People } from "./people.ts";
import { photoKindNames, photoPath } from "./photo-kinds.ts";
import { EventLogBody, errorOf, IdParams, type LogEntryBody, notYet } from "./schemas.ts";
import { texts } from "./texts.ts";

const bodyOf = (log: EventLogRecord, entry: LogEntry, named: readonly People[], publicUrl: string): LogEntryBody => {
  const signer = named[entry.corrections ?? 0]?.get(entry.signerId);
  const { attempt, result, photo } = entry;
  const idCustom = signer?.idCustom ?? null;
  const linked = photo !== undefined && attempt !== undefined && idCustom !== null;
  return {
    event: entry.event,
    signer: signer?.name ?? null,
    phone: signer?.phone ?? null,
    timestamp: entry.at,
    ...(attempt === undefined ? {} : { attempt }),
    ...(result === undefined ? {} : { result }),
    ...(linked ? { link: publicUrl + photoPath(log.documentId, idCustom, photoKindNames[photo], attempt) } : {}),
  };
};

/** `GET /api/eventLogs/{id_seguimiento}`: everything that happened to a document, in order. */
export const eventLogs =
  (finder: DocumentFinder, peopleOf: QueryApiDependencies["peopleOf"], publicUrl: string): HttpPlugin =>
  async (app) => {
    app.get(
      "/api/eventLogs/:id_seguimiento",
      {
        schema: {
          tags: ["documents"],
          operationId: "eventLog",
          summary: "Event log",
          description: "What happened to a document, in chronological order. Sees every earlier answer.",
          params: IdParams,
          response: {
            200: EventLogBody,
            404: errorOf(texts.unknownLog, "Unknown, or of neither the account nor its team."),
            500: errorOf({ error: "Internal Server Error" }, "Something failed on this side."),
            503: notYet,
          },
        },
      },
      async (request) => {
        const { accountId } = callerOf(request);
        const found = await finder.find(eventLog, request.params.id_seguimiento, accountId);
        if (!found) throw new HttpError(404, texts.unknownLog);
        const { view } = found;
        const named = view.erased ? [] : await peopleOf(view.documentId, view.corrections);
        return {
          created_at: view.createdAt,
          autenticacion: view.authentication,
          id_seguimiento: view.documentId,
          events: view.entries.map((entry) => bodyOf(view, entry, named, publicUrl)),
        };
      },
    );
  };
