import type { CertificateStatus, VerifiedSignature } from "@rubrica/pdf";
import { type Block, type Content, clipped, type Field, hash, type Text, utcTime } from "@rubrica/report/rendering";
import type { KnownDocument } from "../known-document.ts";
import type { Report } from "../verifier.ts";
import { verdictTexts, spanish as words } from "./spanish.ts";

/** Signatures that are shown; the answer in JSON has more. */
const MAX_SHOWN = 50;
/** Of a certificate's subject, in characters. */
const MAX_NAME = 300;

/** What a result tells beside the report. */
export interface Circumstances {
  /** Where anybody reaches the service, without a slash at the end. */
  publicUrl: string;
  /** Whether the own authority's revocation list of today was at hand. */
  ownAuthority: boolean;
  /** Certificates of authorities whose timestamps are trusted. */
  timestampRoots: number;
}

/** What was found of a file, in Spanish, ready to be set. Of the file it names its size and its hash. */
export const resultContent = (report: Report, circumstances: Circumstances): Content => {
  const { sha256, checkedAt, document } = report;
  const simulated = simulatedParts(document);
  return {
    language: words.language,
    title: `${words.title} · ${sha256}`,
    subject: sha256,
    createdAt: checkedAt,
    footer: { left: words.footer(sha256), page: words.page },
    notice: simulated.length > 0 ? words.notice : null,
    attachments: [],
    blocks: [
      opening(report, circumstances.publicUrl),
      banner(report, simulated),
      ...fileSection(report),
      ...recordSection(report, simulated),
      ...signaturesSection(report),
      ...scopeSection(circumstances),
    ],
  };
};

const opening = ({ sha256, fileBytes, checkedAt }: Report, publicUrl: string): Block => ({
  kind: "opening",
  title: words.title,
  lines: [
    words.bytes(fileBytes),
    hash(sha256),
    [{ text: words.judgedAt(timeOf(checkedAt), publicUrl), tone: "muted" }],
  ],
  qr: { url: `${publicUrl}/verify?sha256=${sha256}`, caption: words.verifyOnline },
});

const banner = ({ verdict }: Report, simulated: readonly string[]): Block => {
  const { tone, title, sentence } = verdictTexts[verdict];
  if (simulated.length === 0) return { kind: "banner", tone, title, sentence };
  const warned = `${sentence} ${words.attention(simulated.join("; "))}`;
  return { kind: "banner", tone: tone === "good" ? "muted" : tone, title, sentence: warned };
};

/** What of a document on record is no evidence, in words; empty where all is. */
const simulatedParts = (document: KnownDocument | null): string[] => {
  if (!document) return [];
  const { demo, simulated } = document;
  return [
    ...(demo ? [words.demo] : []),
    ...(simulated.messages === true ? [words.simulatedMessages] : []),
    ...(simulated.identity === true ? [words.simulatedIdentity] : []),
  ];
};

const fileSection = ({ sha256, fileBytes, checkedAt, signatures }: Report): Block[] => [
  { kind: "section", title: words.file },
  {
    kind: "fields",
    fields: [
      { label: words.sha256, value: [hash(sha256)] },
      { label: words.size, value: [words.bytes(fileBytes)] },
      { label: words.judgedLabel, value: [timeOf(checkedAt)] },
      { label: words.signatureCount, value: [String(signatures.length)] },
    ],
  },
];

const recordSection = ({ document, verdict }: Report, simulated: readonly string[]): Block[] => {
  const section: Block = { kind: "section", title: words.record };
  const without = verdict === "evidence_broken" ? words.recordBroken : words.notOnRecord;
  if (!document) return [section, { kind: "paragraph", text: without }];
  const { documentId, sealedAt, level, chainIntact, ownAuthority } = document;
  return [
    section,
    {
      kind: "fields",
      fields: [
        { label: words.documentId, value: [[{ text: documentId, face: "monospaced", size: 8.5 }]] },
        { label: words.sealedAt, value: [timeOf(Date.parse(sealedAt))] },
        { label: words.level, value: [`PAdES ${level}`] },
        { label: words.events, value: [words.eventsState(chainIntact)] },
        { label: words.authority, value: [words.authorities(ownAuthority)] },
        ...(simulated.length > 0 ? [{ label: words.simulated, value: [simulated.join("; ")] }] : []),
      ],
    },
  ];
};

const signaturesSection = ({ signatures, fileBytes }: Report): Block[] => {
  if (signatures.length === 0) return [];
  const first = Math.max(0, signatures.length - MAX_SHOWN);
  const left: Block = { kind: "paragraph", text: words.noMore(MAX_SHOWN, signatures.length) };
  return [
    { kind: "section", title: words.signatures },
    ...(first > 0 ? [left] : []),
    ...signatures.slice(first).flatMap((signature, index): Block[] => [
      { kind: "subsection", title: `${first + index + 1}. ${words.kind(signature)}`, note: "" },
      { kind: "fields", fields: signatureFields(signature, fileBytes) },
    ]),
  ];
};

const signatureFields = (signature: VerifiedSignature, fileBytes: number): Field[] => {
  const {
    intact,
    certificate,
    claimedAt,
    coveredBytes,
    changesAfter,
    certificateStatus,
    trusted,
    named: name,
  } = signature;
  const named = trusted ? words.signedBy : words.uncheckedName;
  return [
    { label: words.stateLabel, value: [words.state(signature)] },
    ...(trusted && name ? [{ label: words.sealedAsLabel, value: [words.sealedAs(name)] }] : []),
    ...(certificate
      ? [
          { label: named, value: [nameText(certificate.subject)] },
          { label: words.issuedBy, value: [nameText(certificate.issuer)] },
        ]
      : []),
    { label: words.claimedAt, value: [claimedAt === null ? words.noTime : timeOf(claimedAt)] },
    ...(intact ? [{ label: words.witness, value: witness(signature) }] : []),
    ...(certificateStatus ? [{ label: words.certificate, value: certificateTexts(certificateStatus) }] : []),
    ...(intact
      ? [
          { label: words.coverage, value: [words.covers(coveredBytes, fileBytes)] },
          { label: words.later, value: [words.laterChanges[changesAfter]] },
        ]
      : []),
    ...(certificate ? [{ label: words.fingerprint, value: [hash(certificate.sha256)] }] : []),
  ];
};

/** A name is a paragraph by itself: its direction turns nothing round that is said of it. */
const witness = ({ proof }: VerifiedSignature): Text[] => {
  if (!proof) return [words.nobody];
  const said = words.proof(proof, timeOf(proof.at));
  return proof.authority === null ? [said] : [said, nameText(proof.authority)];
};

const certificateTexts = ({
  status,
  at,
  validFrom,
  validUntil,
  revokedAt,
  revocationKnownAt,
}: CertificateStatus): Text[] => [
  words.certificateState(status, timeOf(at)),
  ...(validFrom !== null && validUntil !== null ? [words.validity(timeOf(validFrom), timeOf(validUntil))] : []),
  ...(revokedAt === null ? [] : [words.revokedSince(timeOf(revokedAt))]),
  ...(revocationKnownAt === null ? [] : [words.revocationKnown(timeOf(revocationKnownAt))]),
];

/** A name that somebody wrote into a certificate; what can't be seen of it is left out when it is set. */
const nameText = (name: string): string =>
  /[^\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}]/u.test(name.slice(0, MAX_NAME))
    ? clipped(name, MAX_NAME)
    : words.noName;

const scopeSection = ({ ownAuthority, timestampRoots }: Circumstances): Block[] => [
  { kind: "section", title: words.scope },
  { kind: "paragraph", text: words.knowledge(ownAuthority, timestampRoots) },
  { kind: "paragraph", text: words.names },
  { kind: "paragraph", text: words.moment },
];

/** A file can claim any time, also one that there is not. */
const timeOf = (ms: number): string => (Number.isNaN(new Date(ms).getTime()) ? words.noTime : `${utcTime(ms)} UTC`);
