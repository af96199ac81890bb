import type { CertificateEvidence, Evidence, SealEvidence } from "../evidence/evidence.ts";
import type { Block, Field } from "../layout/blocks.ts";
import type { ReportTexts } from "../texts.ts";
import { saidTime, utcMilliseconds } from "./times.ts";
import { clipped, hash } from "./words.ts";

const certificateBlocks = (
  certificate: CertificateEvidence,
  index: number,
  of: number,
  texts: ReportTexts,
): Block[] => {
  const { sealSection: words } = texts;
  const { subject, issuer, serialNumber, validFrom, validTo, sha256 } = certificate;
  return [
    { kind: "subsection", title: clipped(subject, 300), note: words.certificateRole(index, of), topic: true },
    {
      kind: "fields",
      fields: [
        { label: words.issuedBy, value: [issuer === subject ? words.own : clipped(issuer, 300)] },
        { label: words.serialNumber, value: [[{ text: serialNumber, face: "monospaced", size: 8.5 }]] },
        { label: words.validity, value: [`${saidTime(validFrom, texts)} – ${saidTime(validTo, texts)}`] },
        { label: words.fingerprint, value: [hash(sha256)] },
      ],
    },
  ];
};

const authorityOf = ({ ownAuthority }: SealEvidence, { sealSection: words, simulation }: ReportTexts): string => {
  if (ownAuthority === null) return simulation.notRecorded;
  return ownAuthority ? words.ownAuthority : words.othersAuthority;
};

/** From B-T on: the time that the seal is proven to have existed at, and by whose word. */
const timestampFields = ({ sealedLevel, timestamp }: SealEvidence, texts: ReportTexts): Field[] => {
  const { sealSection: words, simulation } = texts;
  if (sealedLevel === "B-B") return [];
  if (!timestamp) return [{ label: words.timestamp, value: [simulation.notRecorded] }];
  return [
    { label: words.timestamp, value: [`${utcMilliseconds(timestamp.at)} ${texts.utc}`] },
    { label: words.timestampAuthority, value: [clipped(timestamp.authority, 300)] },
  ];
};

/** What was made up later, or renewed: the level then, when, by whose timestamp, and the files that were given out before. */
const augmentationFields = ({ sealedLevel, augmentations, formerFiles }: SealEvidence, texts: ReportTexts): Field[] => {
  const { sealSection: words } = texts;
  if (augmentations.length === 0) return [];
  return [
    { label: words.sealedLevel, value: [words.levels[sealedLevel]] },
    ...augmentations.map(({ kind, timestamp }) => ({
      label: words.augmented[kind],
      value: [`${utcMilliseconds(timestamp.at)} ${texts.utc}`, clipped(timestamp.authority, 300)],
    })),
    { label: words.formerFiles, value: formerFiles.map(hash) },
  ];
};

/** How the document is sealed, and by whom. */
export const sealSection = ({ seal, status }: Evidence, texts: ReportTexts): Block[] => {
  const { sealSection: words } = texts;
  const section: Block = { kind: "section", title: words.title };
  if (!seal) return [section, { kind: "paragraph", text: words.none[status] }];
  return [
    section,
    {
      kind: "fields",
      fields: [
        { label: words.sealedAt, value: [`${utcMilliseconds(seal.sealedAt)} ${texts.utc}`] },
        { label: words.level, value: [words.levels[seal.level]] },
        ...timestampFields(seal, texts),
        ...augmentationFields(seal, texts),
        { label: words.authority, value: [authorityOf(seal, texts)] },
        ...(seal.shortfall === null ? [] : [{ label: words.shortfall, value: [clipped(seal.shortfall)] }]),
        ...(seal.certificates.length === 0
          ? [{ label: words.fingerprint, value: [hash(seal.certificateSha256)] }]
          : []),
      ],
    },
    ...seal.certificates.flatMap((certificate, index) =>
      certificateBlocks(certificate, index, seal.certificates.length, texts),
    ),
    ...(seal.certificates.length === 0 ? [{ kind: "paragraph", text: words.unknownChain } as const] : []),
  ];
};
