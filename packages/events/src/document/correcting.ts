import { z } from "zod";
import { defineEvent } from "../define.ts";
import { LineId, sample, Uuid } from "../shared.ts";
import { Requester, SignerPerson } from "./request.ts";

/** What of a signer can be corrected, as {@link SignerPerson} names it. */
export const correctable = ["name", "idNumber", "idNumberCountry", "phone", "email"] as const;

/** What can be corrected. */
export type CorrectableField = (typeof correctable)[number];

/**
 * A signer was corrected, before they had a part in the document: they have another link, and whatever they were sent before
 * counts no more. `before` and `after`: the signer as they were named, and are named since.
 */
export const SignerCorrected = defineEvent({
  type: "SignerCorrected",
  data: z.strictObject({
    signerId: Uuid,
    /** The request's own id: the same again is the same request. */
    correctionId: Uuid,
    /** The number of the signer's link from now on; the request's is 0. */
    linkNumber: z.int().positive(),
    /** What was corrected. */
    fields: z.array(z.enum(correctable)).min(1),
    /** The line that they were on before; both are null when the document sends no messages. */
    formerLineId: LineId.nullable(),
    lineId: LineId.nullable(),
    /** The account and the key that asked for it. */
    by: Requester,
  }),
  personal: z.strictObject({ before: SignerPerson, after: SignerPerson }),
  example: {
    data: {
      signerId: sample.signerId,
      correctionId: sample.grantId,
      linkNumber: 1,
      fields: ["phone"],
      formerLineId: sample.lineId,
      lineId: "5a".repeat(32),
      by: { accountName: "ACME", keyId: sample.keyId, keyName: "billing" },
    },
    personal: {
      before: {
        idCustom: sample.signerId,
        name: "Ana Paz",
        idNumber: "30123456",
        idNumberCountry: "AR",
        phone: "5491122334455",
        email: null,
      },
      after: {
        idCustom: sample.signerId,
        name: "Ana Paz",
        idNumber: "30123456",
        idNumberCountry: "AR",
        phone: "5491122334456",
        email: null,
      },
    },
  },
});

export const correctionEvents = [SignerCorrected] as const;
