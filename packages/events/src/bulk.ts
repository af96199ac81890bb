import { z } from "zod";
import { defineEvent, type EventOf } from "./define.ts";
import { FileReference, sample, Uuid } from "./shared.ts";

/** A bulk call passed its checks; its template and rows are kept as files under the bulk's own key. */
export const BulkRequested = defineEvent({
  type: "BulkRequested",
  data: z.strictObject({
    bulkId: Uuid,
    template: FileReference,
    rows: FileReference,
    rowCount: z.int().positive(),
  }),
  personal: null,
  example: {
    data: {
      bulkId: sample.bulkId,
      template: {
        sha256: sample.sha256,
        size: 48_000,
        mediaType: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
      },
      rows: { sha256: sample.sha256, size: 9_000, mediaType: "application/json" },
      rowCount: 10,
    },
    personal: null,
  },
});

/** The credits did not suffice after all: nothing of the call is sent. */
export const BulkRefused = defineEvent({
  type: "BulkRefused",
  data: z.strictObject({ reason: z.enum(["credits"]) }),
  personal: null,
  example: { data: { reason: "credits" }, personal: null },
});

/** The call is paid for and every row's document was requested. */
export const BulkAccepted = defineEvent({
  type: "BulkAccepted",
  data: z.strictObject({}),
  personal: null,
  example: { data: {}, personal: null },
});

/** The key of the template and the rows was destroyed: each row is prepared, or nothing of the call is sent. */
export const BulkRowsForgotten = defineEvent({
  type: "BulkRowsForgotten",
  data: z.strictObject({}),
  personal: null,
  example: { data: {}, personal: null },
});

export const bulkEvents = [BulkRequested, BulkRefused, BulkAccepted, BulkRowsForgotten] as const;
export type BulkEvent = EventOf<(typeof bulkEvents)[number]>;
