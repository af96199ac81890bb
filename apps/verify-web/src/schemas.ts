import { CONTENT_ENCODING_TEXT, TOO_MANY_REQUESTS_TEXT } from "@rubrica/http";
import { z } from "zod";
import { TOO_BUSY_TEXT } from "./gate.ts";
import { verdicts } from "./verdict.ts";

const sha256 = "5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef";
const time = (what: string) => z.string().nullable().describe(`${what}, ISO 8601, UTC; null when it does not say.`);

const Signature = z.object({
  kind: z.enum(["signature", "document_timestamp"]),
  intact: z
    .boolean()
    .nullable()
    .describe("It holds for what it covers; null when it is of a form that can't be checked here."),
  fault: z.string().nullable().describe("Why it is not intact, or can't be checked."),
  of_this_service: z.boolean().describe("Its certificate chains to this service's."),
  signed_by: z.string().nullable().describe("The certificate's subject."),
  issued_by: z.string().nullable().describe("The certificate's issuer."),
  certificate_sha256: z.string().nullable(),
  claimed_at: time("When it was made by its own claim"),
  timestamped_at: time("When it existed, by a timestamp over it"),
  timestamped_by: z
    .string()
    .nullable()
    .describe("Whose timestamp that is, by the certificate's subject. Whether to trust it is for the reader to say."),
  changes_after: z
    .enum(["none", "signing", "other"])
    .describe("What came after it: nothing, signatures and validation data alone, or something else."),
});

const Document = z.object({
  id_seguimiento: z.string(),
  sealed_at: z.string().describe("ISO 8601, UTC."),
  level: z.string().describe("PAdES baseline level of the seal."),
  chain_intact: z.boolean().describe("Each event on record is the one that its hash chain goes on with."),
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

/** What `POST /api/verify` answers. */
export const ReportBody = z
  .object({
    verdict: z
      .enum(verdicts)
      .describe(
        "`valid`: the very file that this service sealed, its events intact. `unrecorded`: sealed by this service and " +
          "not changed since, but no signed document on record (a legal report, say). `evidence_broken`: the very " +
          "file, but its events were tampered with. `changed`: not as a signature left it. `foreign`: signed, but not " +
          "by this service, or by others after it. `unsigned`. `unreadable`.",
      ),
    readable: z.boolean(),
    reason: z.string().nullable().describe("Why it can't be read; null when it can."),
    sha256: z.string().describe("Of the file as it came."),
    signatures: z.array(Signature).describe("In the order in which they were made."),
    document: Document.nullable().describe("Null: no signed document of this service is this very file."),
  })
  .meta({
    examples: [
      {
        verdict: "valid",
        readable: true,
        reason: null,
        sha256,
        signatures: [
          {
            kind: "signature",
            intact: true,
            fault: null,
            of_this_service: true,
            signed_by: "CN=Rubrica document seal",
            issued_by: "CN=Rubrica document authority",
            certificate_sha256: sha256.replaceAll("5", "e"),
            claimed_at: "2026-11-21T15:09:41.000Z",
            timestamped_at: null,
            timestamped_by: null,
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
      },
      { verdict: "unsigned", readable: true, reason: null, sha256, signatures: [], document: null },
    ],
  })
  .describe("What was found, whatever it is.");

const errorOf = (error: string, description: string) =>
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
