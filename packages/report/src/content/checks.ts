import { headText } from "@rubrica/events";
import type { Evidence, FileEvidence, FileState, SignerEvidence } from "../evidence/evidence.ts";
import type { Block, Span, Text } from "../layout/blocks.ts";
import type { ReportTexts } from "../texts.ts";
import { utcTime } from "./times.ts";
import { clipped } from "./words.ts";

interface Check {
  name: string;
  outcome: FileState;
  says: readonly Text[];
}

const fileCheck = (name: string, file: FileEvidence, { checksSection: words }: ReportTexts): Check => ({
  name,
  outcome: file.state,
  says: [words.file[file.state]],
});

/** What whoever keeps the report can show later that the log was cut or written anew by. */
const logHeadText = ({ logHead }: Evidence, { checksSection: words }: ReportTexts): Text[] =>
  logHead === null
    ? [[{ text: words.noLogHead, tone: "muted", size: 8 }]]
    : [
        [{ text: `${words.logHead(utcTime(logHead.at))}:`, tone: "muted", size: 8 }],
        [{ text: headText(logHead), face: "monospaced", size: 7.6 }],
      ];

const chainCheck = (evidence: Evidence, texts: ReportTexts): Check => {
  const { checksSection: words } = texts;
  const { chain } = evidence;
  const { count, lastHash, brokenAt, missingKnown } = chain;
  const end: Text[] = [
    [{ text: `${words.lastHash}:`, tone: "muted", size: 8 }],
    [{ text: lastHash, face: "monospaced", size: 7.6 }],
    ...logHeadText(evidence, texts),
  ];
  const broken = [
    ...(brokenAt === null ? [] : [words.chainBroken(brokenAt + 1)]),
    ...(missingKnown === null ? [] : [words.chainOther(missingKnown + 1)]),
  ];
  return broken.length === 0
    ? { name: words.chain, outcome: "intact", says: [words.chainHolds(count), ...end] }
    : { name: words.chain, outcome: "altered", says: [...broken, ...end] };
};

/** Whether the sealed file is the original with the seal that was recorded, whatever hash is on record of it. */
const sealCheck = ({ seal }: Evidence, { checksSection: words }: ReportTexts): Check[] => {
  if (!seal || seal.isOverOriginal === null) return [];
  const { isOverOriginal } = seal;
  const says = isOverOriginal ? words.sealOverOriginal : words.sealOverOther;
  return [{ name: words.seal, outcome: isOverOriginal ? "intact" : "altered", says: [says] }];
};

/** Whether all who signed had the very file before them that was asked to be signed, and agreed to sign that one. */
const agreedCheck = ({ signers, original }: Evidence, texts: ReportTexts): Check[] => {
  const { checksSection: words, signersSection } = texts;
  const who = ({ person, number }: SignerEvidence) =>
    person ? clipped(person.name) : signersSection.signer(number, signers.length);
  const isOther = (sha256: string | null | undefined) => sha256 != null && sha256 !== original.sha256;
  const other = signers.find(({ consent, signedSha256 }) => isOther(consent?.documentSha256) || isOther(signedSha256));
  if (other) return [{ name: words.agreed, outcome: "altered", says: [words.agreedNot(who(other))] }];
  const signed = signers.filter(({ signedSha256 }) => signedSha256 !== null);
  if (signed.length === 0) return [];
  const without = signed.filter(({ consent }) => consent === null).map((signer) => words.consentMissing(who(signer)));
  const outcome = without.length === 0 ? "intact" : "gone";
  return [{ name: words.agreed, outcome, says: [words.agreedAll, ...without] }];
};

const picturesCheck = ({ signers }: Evidence, { checksSection: words }: ReportTexts): Check[] => {
  const all: FileEvidence[] = [
    ...signers.flatMap(({ drawing, photos, provider }): FileEvidence[] => [
      ...(drawing ? [drawing] : []),
      ...photos,
      ...(typeof provider === "string" ? [] : provider.files),
    ]),
  ];
  if (all.length === 0) return [];
  const intact = all.filter(({ state }) => state === "intact").length;
  const outcome = all.some(({ state }) => state === "altered") ? "altered" : intact < all.length ? "gone" : "intact";
  return [{ name: words.pictures, outcome, says: [words.picturesOf(intact, all.length)] }];
};

const outcomes = (words: ReportTexts["checksSection"]): Record<FileState, Span> => ({
  intact: { text: words.good, face: "bold", tone: "good" },
  altered: { text: words.bad, face: "bold", tone: "bad" },
  gone: { text: words.unknown, face: "bold", tone: "muted" },
});

const checksOf = (evidence: Evidence, texts: ReportTexts): Check[] => [
  chainCheck(evidence, texts),
  ...(typeof evidence.sent === "string" ? [] : [fileCheck(texts.checksSection.sent, evidence.sent, texts)]),
  fileCheck(texts.checksSection.original, evidence.original, texts),
  ...(evidence.sealed ? [fileCheck(texts.checksSection.sealed, evidence.sealed, texts)] : []),
  ...sealCheck(evidence, texts),
  ...agreedCheck(evidence, texts),
  ...picturesCheck(evidence, texts),
];

/** Whether something is not what it was recorded to be. What is gone fails nothing. */
export const failsChecks = (evidence: Evidence, texts: ReportTexts): boolean =>
  checksOf(evidence, texts).some(({ outcome }) => outcome === "altered");

/** What was checked while the report was made, and what came of it. */
export const checksSection = (evidence: Evidence, texts: ReportTexts): Block[] => {
  const { checksSection: words } = texts;
  return [
    { kind: "section", title: words.title },
    { kind: "paragraph", text: words.intro, tone: "muted" },
    {
      kind: "table",
      columns: [{ title: words.check, width: 96 }, { title: "" }, { title: words.result, width: 72 }],
      rows: checksOf(evidence, texts).map(({ name, outcome, says }) => [[name], says, [[outcomes(words)[outcome]]]]),
    },
  ];
};
