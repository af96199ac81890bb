import { z } from "zod";
import { defineEvent } from "../define.ts";
import { IsoTime, Sha256, sample, Uuid } from "../shared.ts";
import { Requester } from "./request.ts";

const WithdrawalReason = z.enum(["erasure", "canceled", "expired"]);
/** Why an open document was taken back: its people are erased, its requester canceled it, or its time is over. */
export type WithdrawalReason = z.infer<typeof WithdrawalReason>;

/** An open document was taken back, which ends it: nobody signs it any more. */
export const DocumentWithdrawn = defineEvent({
  type: "DocumentWithdrawn",
  version: 2,
  // Before there were other reasons, the operator took documents back.
  upcasts: { 1: ({ data, personal }) => ({ data: { ...data, by: null }, personal }) },
  data: z.strictObject({
    reason: WithdrawalReason,
    /** The bulk call whose row it is, where its PDF was still to be made; null else. */
    bulkId: Uuid.nullable(),
    /** The account and the key that canceled it; null for the other reasons. */
    by: Requester.nullable(),
  }),
  personal: z.strictObject({
    /** Why, in the words of who canceled it. */
    text: z.string(),
  }),
  mayLackPersonal: true,
  example: {
    data: {
      reason: "canceled",
      bulkId: null,
      by: { accountName: "ACME", keyId: sample.keyId, keyName: "billing" },
    },
    personal: { text: "The rent changed" },
  },
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

/**
 * All of an erased document is done. Its key and files went as it was erased, right after {@link DocumentErased}; since then
 * the providers were asked to forget it, too.
 */
export const DocumentForgotten = defineEvent({
  type: "DocumentForgotten",
  data: z.strictObject({}),
  personal: null,
  example: { data: {}, personal: null },
});

export const erasureEvents = [DocumentWithdrawn, DocumentErased, DocumentForgotten] as const;
