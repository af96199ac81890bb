import { binary, CONTENT_ENCODING_TEXT, TOO_MANY_REQUESTS_TEXT } from "@rubrica/http";
import { signedKinds } from "@rubrica/pdf";
import { z } from "zod";
import { TOO_BUSY_TEXT } from "./gate.ts";
import { verdicts } from "./verdict.ts";

const sha256 = "5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef";
const time = (what: string) => z.string().nullable().describe(`${what}, ISO 8601, UTC; null when it does not say.`);

const statuses = ["good", "unknown", "not_yet_valid", "expired", "revoked"] as const;

const Signature = z.object({
  kind: z.enum(["signature", "document_timestamp"]),
  intact: z
    .boolean()
    .nullable()
    .describe("It holds for what it covers; null when it is of a form that can't be checked here."),
  fault: z.string().nullable().describe("Why it is not intact, or can't be checked."),
  of_this_service: z.boolean().describe("Its certificate chains to this service's."),
  sealed_as: z
    .object({ kind: z.enum(signedKinds), id: z.string() })
    .nullable()
    .describe(
      "What a seal of this service says that it is over: a signed `document`, a `part` of one that further seals follow, or the `report` of " +
        "one, by its `id_seguimiento`; a `verification`, by the SHA-256 of the file that was checked; a `head` of the log. Null: it " +
        "does not say, as seals of earlier releases, or it is no seal of this service.",
    ),
  signed_by: z.string().nullable().describe("The certificate's subject."),
  issued_by: z.string().nullable().describe("The certificate's issuer."),
  certificate_sha256: z.string().nullable(),
  claimed_at: time("When it was made by its own claim"),
  timestamped_at: time("When it existed, by a timestamp over it"),
  timestamped_by: z
    .string()
    .nullable()
    .describe("Whose timestamp that is, by the certificate's subject. Whether to trust it is for the reader to say."),
  time: z
    .object({
      proven_by: z
        .enum(["signature_timestamp", "document_timestamp", "record"])
        .describe(
          "A timestamp over the signature, one over the document with it, or this service's record of the file.",
        ),
      at: z.string().describe("ISO 8601, UTC."),
      authority: z.string().nullable().describe("The timestamp's certificate's subject; null for the record."),
      trusted: z
        .boolean()
        .describe(
          "The authority is one whose time this service trusts, and its certificate was good; else it proves nothing.",
        ),
      authority_status: z
        .enum(statuses)
        .nullable()
        .describe("Of the authority's certificate; null for the record, and where it can't be told."),
    })
    .nullable()
    .describe("Since when it is known to have been there, and by whose word; null when nobody's."),
  certificate: z
    .object({
      status: z
        .enum(statuses)
        .describe(
          "Of the certificate and those above it, as of `judged_at`. `unknown`: it had not expired, and nothing at hand " +
            "tells whether it was revoked.",
        ),
      judged_at: z
        .string()
        .describe("The proven time, where it is trusted; else the time of this answer. ISO 8601, UTC."),
      valid_from: z.string().nullable(),
      valid_until: z.string().nullable(),
      revoked_at: time("Since when it is revoked, be that after `judged_at`"),
      revocation_known_at: time("When what is known of its revocation was said"),
    })
    .nullable()
    .describe("Null where the signature is not intact, or its certificate can't be read."),
  covered_bytes: z.number().int().describe("How much of the file it covers, from its first byte on, but for itself."),
  changes_after: z
    .enum(["none", "signing", "other"])
    .describe(
      "What came after it: nothing; signatures, validation data and what the file says of itself (metadata) alone; or something else.",
    ),
});

const Document = z.object({
  id_seguimiento: z.string(),
  sealed_at: z.string().describe("ISO 8601, UTC."),
  level: z
    .string()
    .describe("PAdES baseline level of the file that was checked: of the seal, or as it was renewed since."),
  chain_intact: z
    .boolean()
    .describe(
      "Each event on record is the one that its hash chain goes on with, and the one is there that a signed head of the log is over.",
    ),
  demo: z.boolean().describe("It is of the demo account: no evidence of anything."),
  simulated: z
    .object({
      messages: z.boolean().nullable(),
      identity: z.boolean().nullable(),
    })
    .describe("Whether messages were only simulated, and the check of identity; null: none, or not recorded."),
  own_authority: z
    .boolean()
    .nullable()
    .describe("This service issued the seal's certificate itself: nobody else trusts it. Null: not recorded."),
});

const AsSigned = z.object({
  signature: z
    .number()
    .int()
    .describe(
      "Of `signatures`, from 0: the last one after which other content came; else this service's last seal, or the last " +
        "signature where there is none, after which somebody else signed.",
    ),
  page: z.number().int().describe("From 1: the first page that looks otherwise now than when it was signed."),
  width: z.number().int().describe("In dots."),
  height: z.number().int(),
  png: z.string().describe("The page as it was signed: a PNG of at most 1 MB, in base64."),
});

/** What `POST /api/verify` answers. */
export const ReportBody = z
  .object({
    verdict: z
      .enum(verdicts)
      .describe(
        "`valid`: the very file that this service sealed, by the certificate that its intact events name. `unrecorded`: sealed by this service and " +
          "not changed since, but no signed document on record (a legal report, or a result of this route as a PDF). `certificate_invalid`: sealed by " +
          "this service and not changed since, but its certificate had expired or was revoked at the time that is " +
          "proven, or has and is now, where none is. `data_by_others`: sealed by this service and not changed, but with " +
          "timestamps or validation data, which anybody can add, of authorities that it does not know. `record_contradicted`: the very file that " +
          "events name, without the seal or the timestamps that they name, or whose seal says that it is over something else. `record_unproven`: the " +
          "very file that events name, with a seal of an earlier release, which does not say what it is over, where the event is not in the first " +
          "signed head of the log. `record_missing`: sealed by this service as a document and not changed since, but that document's events name no " +
          "such file: it was cut off before what was sealed later, or the record has lost something. `evidence_broken`: the events that name the " +
          "file, or those of the document that its seal names, were tampered with. `changed`: not as a signature left it. `foreign`: signed, but not " +
          "by this service, or by others after it. `unsigned`. `unreadable`.",
      ),
    readable: z.boolean(),
    reason: z.string().nullable().describe("Why it can't be read; null when it can."),
    sha256: z.string().describe("Of the file as it came."),
    file_bytes: z.number().int(),
    checked_at: z.string().describe("ISO 8601, UTC."),
    signatures: z.array(Signature).describe("In the order in which they were made."),
    document: Document.nullable().describe("Null: no events of a signed document name this very file."),
    as_signed: AsSigned.nullable().describe(
      "Null: nothing came after a signature that holds, no page is seen to differ, or it can't be drawn in time.",
    ),
  })
  .meta({
    examples: [
      {
        verdict: "valid",
        readable: true,
        reason: null,
        sha256,
        file_bytes: 84_211,
        checked_at: "2026-11-22T09:00:00.000Z",
        signatures: [
          {
            kind: "signature",
            intact: true,
            fault: null,
            of_this_service: true,
            sealed_as: { kind: "document", id: "0198c1c5-2f2b-7cc0-9d52-1f0f5a4b7c11" },
            signed_by: "CN=Rubrica document seal",
            issued_by: "CN=Rubrica document authority",
            certificate_sha256: sha256.replaceAll("5", "e"),
            claimed_at: "2026-11-21T15:09:41.000Z",
            timestamped_at: null,
            timestamped_by: null,
            time: {
              proven_by: "record",
              at: "2026-11-21T15:09:41.120Z",
              authority: null,
              trusted: true,
              authority_status: null,
            },
            certificate: {
              status: "good",
              judged_at: "2026-11-21T15:09:41.120Z",
              valid_from: "2026-01-01T00:00:00.000Z",
              valid_until: "2031-01-01T00:00:00.000Z",
              revoked_at: null,
              revocation_known_at: "2026-11-21T00:00:00.000Z",
            },
            covered_bytes: 84_211,
            changes_after: "none",
          },
        ],
        document: {
          id_seguimiento: "0198c1c5-2f2b-7cc0-9d52-1f0f5a4b7c11",
          sealed_at: "2026-11-21T15:09:41.120Z",
          level: "B-B",
          chain_intact: true,
          demo: false,
          simulated: { messages: false, identity: null },
          own_authority: false,
        },
        as_signed: null,
      },
      {
        verdict: "unsigned",
        readable: true,
        reason: null,
        sha256,
        file_bytes: 9_120,
        checked_at: "2026-11-22T09:00:00.000Z",
        signatures: [],
        document: null,
        as_signed: null,
      },
    ],
  })
  .describe("What was found, whatever it is.");

/** The same in both of its forms. */
export const foundAnswer = {
  description: "What was found, whatever it is.",
  content: {
    "application/json": { schema: ReportBody },
    ...binary("application/pdf", "").content,
  },
};

export const errorOf = (error: string, description: string) =>
  z
    .object({ error: z.string() })
    .meta({ examples: [{ error }] })
    .describe(description);

export const NO_FILE_TEXT = "Send the PDF itself as the body, with Content-Type application/pdf";
export const FAILED_TEXT = "Internal Server Error";

/** Every answer of `POST /api/verify` but a report. */
export const errorAnswers = {
  400: errorOf(NO_FILE_TEXT, "There is no file in the body, or it is of another type."),
  413: errorOf("Request body is larger than 20971520 bytes", "The file is larger than a document may be."),
  415: errorOf(CONTENT_ENCODING_TEXT, "The body is compressed."),
  429: errorOf(
    TOO_MANY_REQUESTS_TEXT,
    "Too many files came from this address; `retry-after` tells for how many seconds.",
  ),
  500: errorOf(FAILED_TEXT, "Something failed on this side."),
  503: errorOf(
    TOO_BUSY_TEXT,
    "Too many files are being checked, or the file was sealed here and the records are behind; `retry-after` tells when " +
      "to try again.",
  ),
};
