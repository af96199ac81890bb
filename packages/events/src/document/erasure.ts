import { z } from "zod";
import { defineEvent } from "../define.ts";
import { IsoTime, Sha256, sample, Uuid } from "../shared.ts";

/** The operator took an open document back, which ends it: nobody signs it any more. */
export const DocumentWithdrawn = defineEvent({
  type: "DocumentWithdrawn",
  data: z.strictObject({
    reason: z.enum(["erasure"]),
    /** The bulk call whose row it is, or null. */
    bulkId: Uuid.nullable(),
  }),
  personal: null,
  example: { data: { reason: "erasure", bulkId: null }, personal: null },
});

const ErasureCause = z.enum(["requested", "retention"]);
/** Why a document is erased: somebody asked for it, or the time that it was to be kept is over. */
export type ErasureCause = z.infer<typeof ErasureCause>;

/**
 * From here on the document names nobody, wherever its events are. Comes before its key is destroyed. Signers whose
 * `id_custom` was unknown by then are left out.
 */
export const DocumentErased = defineEvent({
  type: "DocumentErased",
  data: z.strictObject({
    cause: ErasureCause,
    requestedAt: IsoTime,
    /** HMAC of account and `id_custom`, by which whoever knows that id still finds the document. */
    customIds: z.array(z.strictObject({ signerId: Uuid, hmac: Sha256 })),
  }),
  personal: null,
  example: {
    data: {
      cause: "requested",
      requestedAt: sample.at,
      customIds: [{ signerId: sample.signerId, hmac: sample.sha256 }],
    },
    personal: null,
  },
});

/** The key of an erased document was destroyed, and its files were removed. */
export const DocumentForgotten = defineEvent({
  type: "DocumentForgotten",
  data: z.strictObject({}),
  personal: null,
  example: { data: {}, personal: null },
});
