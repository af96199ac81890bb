import { z } from "zod";
import { defineEvent } from "../define.ts";
import { sample, Uuid } from "../shared.ts";
import { Requester } from "./request.ts";

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
