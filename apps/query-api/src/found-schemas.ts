import { sanitizePhone, strippedIdNumber } from "@rubrica/identity";
import { z } from "zod";

const id = "019aa5c0-0000-7000-8000-0000000000d1";
const at = z.string().describe("ISO 8601, UTC");
const Status = z.enum(["pending", "signed", "rejected", "ended"]);
const moment = z.iso.datetime({ offset: true, error: "must be ISO 8601 with an offset, as 2027-01-31T18:00:00-03:00" });

const FoundSigner = z.object({
  id_custom: z.string().nullable().describe("Null once forgotten, as the others that name somebody"),
  name: z.string().nullable(),
  contact: z.string().nullable().describe("The phone"),
  status: Status.describe("`ended`: the document did, and not by this signer"),
  signed_at: at.nullable(),
});

const FoundDocument = z.object({
  id_seguimiento: z.string(),
  document_name: z.string().nullable(),
  status: Status.describe("`signed` by all; `ended`: canceled, expired, never prepared, or erased while it was open"),
  end: z
    .object({
      kind: z.enum(["signed", "rejected", "canceled", "expired", "failed", "erased"]),
      at,
      reason: z.string().nullable().describe("In the words of who rejected or canceled it"),
    })
    .nullable()
    .describe("Null while it is open"),
  created_at: at,
  ended_at: at.nullable(),
  expires_at: at.nullable().describe("Until when it can be signed; null where it has no end"),
  signers: z.array(FoundSigner).describe("In the order of the request"),
});
/** A document that was found. */
export type FoundDocument = z.infer<typeof FoundDocument>;

/** The answer of a search. */
export const FoundDocuments = z
  .object({
    documents: z.array(FoundDocument),
    next_cursor: z.string().nullable().describe("What to give as `cursor` for those that follow; null at the end"),
  })
  .meta({
    examples: [
      {
        documents: [
          {
            id_seguimiento: id,
            document_name: "Lease agreement",
            status: "ended",
            end: { kind: "canceled", at: "2026-11-22T09:00:00.000Z", reason: "The rent changed" },
            created_at: "2026-11-21T15:04:05.000Z",
            ended_at: "2026-11-22T09:00:00.000Z",
            expires_at: null,
            signers: [
              {
                id_custom: "019aa5c0-0000-7000-8000-000000000051",
                name: "Ana Paz",
                contact: "5491122334455",
                status: "ended",
                signed_at: null,
              },
            ],
          },
        ],
        next_cursor: null,
      },
    ],
  })
  .describe("Newest first. A page may be short, and more follow all the same: see `next_cursor`.");

const cleaned = (sanitize: (raw: string) => { ok: true; value: string } | { ok: false; message: string }) =>
  z.string().transform((raw, context) => {
    const result = sanitize(raw);
    if (result.ok) return result.value;
    context.addIssue({ code: "custom", message: result.message });
    return z.NEVER;
  });

/** A page's place, as a caller is given it: nothing to go by. */
export const cursorOf = (place: string): string => Buffer.from(`1${place}`).toString("base64url");

const CURSOR = /^1(\d{13}\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

const Cursor = cleaned((raw) => {
  const [, value] = CURSOR.exec(Buffer.from(raw, "base64url").toString("utf8")) ?? [];
  return value === undefined || cursorOf(value) !== raw
    ? { ok: false, message: "must be the next_cursor of an answer" }
    : { ok: true, value };
});

const phone = cleaned((raw) => {
  const result = sanitizePhone(raw);
  return result.ok ? { ok: true, value: result.phone } : result;
});
/** As it would be kept, by the rules of whichever country. */
const dni = cleaned((raw) => {
  const result = strippedIdNumber(raw);
  return result.ok ? { ok: true, value: result.idNumber } : result;
});

/** What is searched for. Unknown filters are refused: nobody is to believe that they filtered. */
export const FindQuery = z
  .strictObject({
    status: Status.optional().describe("Where they stand"),
    phone: phone.optional().describe("Of a signer, in international format"),
    dni: dni.optional().describe("Of a signer"),
    id_custom: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe("Of a signer. One of `phone`, `dni`, `id_custom` at a time"),
    campaign_id: z.coerce.number().int().min(1).optional().describe("Of a campaign of the account's"),
    from: moment.optional().describe("Created at this moment or later, ISO 8601 with an offset"),
    to: moment.optional().describe("Created before this moment"),
    limit: z.coerce.number().int().min(1).max(100).default(25).describe("How many are looked at for a page"),
    cursor: Cursor.optional().describe(
      "The `next_cursor` of the page before; documents that came since change nothing",
    ),
  })
  .superRefine(({ phone, dni, id_custom: own }, context) => {
    if ([phone, dni, own].filter((value) => value !== undefined).length < 2) return;
    context.addIssue({ code: "custom", path: ["phone"], message: "phone, dni and id_custom stand alone" });
  });
export type FindQuery = z.output<typeof FindQuery>;
