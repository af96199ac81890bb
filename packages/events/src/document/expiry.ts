import { z } from "zod";
import { defineEvent } from "../define.ts";
import { IsoTime, sample } from "../shared.ts";
import { Requester } from "./request.ts";

/** The time until which the document can be signed is another one now. */
export const DocumentExpiryChanged = defineEvent({
  type: "DocumentExpiryChanged",
  data: z.strictObject({
    expiresAt: IsoTime,
    /** The account and the key that asked for it. */
    by: Requester,
  }),
  personal: null,
  example: {
    data: { expiresAt: sample.at, by: { accountName: "ACME", keyId: sample.keyId, keyName: "billing" } },
    personal: null,
  },
});

export const expiryEvents = [DocumentExpiryChanged] as const;
