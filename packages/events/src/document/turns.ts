import { z } from "zod";
import { defineEvent } from "../define.ts";
import { LineId, sample, Uuid } from "../shared.ts";
import { Requester } from "./request.ts";

/** The signer's message is held back: the phone has another active document. */
export const SignerQueued = defineEvent({
  type: "SignerQueued",
  data: z.strictObject({ signerId: Uuid, lineId: LineId, behindDocumentId: Uuid }),
  personal: null,
  example: {
    data: { signerId: sample.signerId, lineId: sample.lineId, behindDocumentId: sample.otherDocumentId },
    personal: null,
  },
});

/**
 * The signer may be sent a message now. `lineId` is null when the document sends none, and for who chose to continue while they
 * waited to be asked anew: they are sent the link without their phone's turn.
 */
export const SignerTurnCame = defineEvent({
  type: "SignerTurnCame",
  data: z.strictObject({ signerId: Uuid, lineId: LineId.nullable() }),
  personal: null,
  example: { data: { signerId: sample.signerId, lineId: sample.lineId }, personal: null },
});

/**
 * A signer is to be sent anew what they were sent: what became of it before counts no more, and their phone's turn is
 * claimed once more.
 */
export const ResendRequested = defineEvent({
  type: "ResendRequested",
  data: z.strictObject({
    signerId: Uuid,
    /** The request's own id: the same again is the same request. */
    resendId: Uuid,
    /** The account and the key that asked for it. */
    by: Requester,
  }),
  personal: null,
  example: {
    data: {
      signerId: sample.signerId,
      resendId: sample.grantId,
      by: { accountName: "ACME", keyId: sample.keyId, keyName: "billing" },
    },
    personal: null,
  },
});

export const turnEvents = [SignerQueued, SignerTurnCame, ResendRequested] as const;
