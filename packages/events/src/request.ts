import { z } from "zod";
import { defineEvent, type EventOf } from "./define.ts";
import { Sha256, sample, Uuid } from "./shared.ts";

/** An idempotency key was used: the same key with the same body is answered by what this request made. */
export const RequestAccepted = defineEvent({
  type: "RequestAccepted",
  data: z.strictObject({
    route: z.string().max(100),
    /** HMAC of the request's body by a key of its document, or by SECRET, hex. */
    bodyHmac: Sha256,
    /** The document, bulk call or account that the request made or changed. */
    resultId: Uuid,
  }),
  personal: null,
  example: {
    data: { route: "POST /api/v2/documentSet", bodyHmac: sample.sha256, resultId: sample.documentId },
    personal: null,
  },
});

export const requestEvents = [RequestAccepted] as const;
export type RequestEvent = EventOf<(typeof requestEvents)[number]>;
