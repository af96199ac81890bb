import type { Evidence, StepKind } from "../evidence/evidence.ts";
import type { Block, Content, Field, Text } from "../layout/blocks.ts";
import type { ReportTexts } from "../texts.ts";
import { checksSection, failsChecks } from "./checks.ts";
import { eventLog } from "./event-log.ts";
import { attachmentsOf } from "./provider.ts";
import { keyOf, requestedBy, requesterFields } from "./requester.ts";
import { sealSection } from "./seal.ts";
import { signerSections } from "./signers.ts";
import { pageNotice, simulationBanners } from "./simulated.ts";
import { saidTime, utcMilliseconds } from "./times.ts";
import { clipped, hash } from "./words.ts";

/** What a report needs beside the evidence. */
export interface Circumstances {
  /** Where anybody can verify the document. */
  verifyUrl: string;
  /** Where the service publishes its root certificate; null when it is another authority's. */
  rootUrl: string | null;
  /** Milliseconds since the UNIX epoch. */
  now: number;
}

/** The report of a document, in one language. */
export const contentOf = (
  evidence: Evidence,
  { verifyUrl, rootUrl, now }: Circumstances,
  texts: ReportTexts,
): Content => ({
  language: texts.language,
  title: `${texts.title} · ${evidence.documentId}`,
  subject: evidence.names?.documentName ?? texts.forgotten,
  createdAt: now,
  footer: { left: `${texts.document} ${evidence.documentId}`, page: texts.page },
  notice: pageNotice(evidence, texts),
  attachments: attachmentsOf(evidence.signers, texts),
  blocks: [
    opening(evidence, verifyUrl, now, texts),
    banner(evidence, texts),
    ...warning(evidence, texts),
    ...simulationBanners(evidence, texts),
    ...documentSection(evidence, texts),
    ...checksSection(evidence, texts),
    ...signerSections(evidence, texts),
    ...eventLog(evidence, texts),
    ...sealSection(evidence, texts),
    ...verifySection(verifyUrl, rootUrl, texts),
    ...scopeSection(evidence, texts),
  ],
});

const opening = (evidence: Evidence, verifyUrl: string, now: number, texts: ReportTexts): Block => {
  const forgotten: Text = [{ text: texts.forgotten, tone: "muted", size: 12 }];
  const { names } = evidence;
  return {
    kind: "opening",
    title: texts.title,
    lines: [
      names ? [{ text: clipped(names.documentName), size: 12 }] : forgotten,
      ...requestedBy(evidence, texts),
      [{ text: `${texts.generatedAt} ${saidTime(now, texts)}`, tone: "muted" }],
    ],
    qr: { url: verifyUrl, caption: texts.verifyOnline },
  };
};

const whoRejected = ({ rejection, signers }: Evidence, texts: ReportTexts): string => {
  const signer = signers.find(({ signerId }) => signerId === rejection?.signerId);
  if (signer?.person) return clipped(signer.person.name);
  return texts.signersSection.signer(signer?.number ?? 1, signers.length);
};

const banner = (evidence: Evidence, texts: ReportTexts): Block => {
  const at = saidTime(evidence.endedAt, texts);
  const { signers } = evidence;
  const signatures = signers.map(({ signedAt }) => signedAt).filter((signedAt) => signedAt !== null);
  const last = signatures.toSorted().at(-1);
  if (evidence.status === "completed") {
    return {
      kind: "banner",
      tone: signatures.length === signers.length ? "good" : "bad",
      title: texts.status.completed,
      sentence: texts.status.completedSentence(
        signatures.length,
        signers.length,
        last === undefined ? null : saidTime(last, texts),
      ),
    };
  }
  const sentences = {
    rejected: () => texts.status.rejectedSentence(whoRejected(evidence, texts), at),
    canceled: () => texts.status.canceledSentence(at),
    expired: () => texts.status.expiredSentence(at),
  };
  const { status } = evidence;
  return { kind: "banner", tone: "bad", title: texts.status[status], sentence: sentences[status]() };
};

/** When the document ended, and by whose word. */
const endFields = (evidence: Evidence, texts: ReportTexts): Field[] => {
  const words = texts.documentSection;
  const { names, rejection, withdrawal, status } = evidence;
  const forgotten: Text = [{ text: texts.forgotten, tone: "muted" }];
  const ended: Text = `${utcMilliseconds(evidence.endedAt)} ${texts.utc}`;
  if (rejection) {
    return [
      { label: words.rejectedAt, value: [ended] },
      { label: words.rejectedBy, value: [whoRejected(evidence, texts)] },
      { label: words.reason, value: [rejection.reason === null ? forgotten : clipped(rejection.reason)] },
    ];
  }
  if (status === "expired") return [{ label: words.expiredAt, value: [ended] }];
  if (!withdrawal) return [{ label: words.completedAt, value: [ended] }];
  const { by, text } = withdrawal;
  const reason = text === null ? texts.none : clipped(text);
  return [
    { label: words.canceledAt, value: [ended] },
    ...(by ? [{ label: words.canceledBy, value: keyOf(by, texts) }] : []),
    { label: words.reason, value: [names ? reason : forgotten] },
  ];
};

/** Nobody has to find a failed check by reading on. */
const warning = (evidence: Evidence, texts: ReportTexts): Block[] => {
  const { warning: title, warningSentence: sentence } = texts.status;
  return failsChecks(evidence, texts) ? [{ kind: "banner", tone: "bad", title, sentence }] : [];
};

const documentSection = (evidence: Evidence, texts: ReportTexts): Block[] => {
  const words = texts.documentSection;
  const { names, sent, original, activeContent, sealed } = evidence;
  const size = (bytes: number): Text => [
    { text: words.bytes(bytes.toLocaleString(texts.language)), tone: "muted", size: 8 },
  ];
  const forgotten: Text = [{ text: texts.forgotten, tone: "muted" }];
  return [
    { kind: "section", title: words.title },
    {
      kind: "fields",
      fields: [
        { label: words.name, value: [names ? clipped(names.documentName) : forgotten] },
        { label: words.id, value: [[{ text: evidence.documentId, face: "monospaced", size: 8.5 }]] },
        { label: words.pages, value: [String(evidence.pageCount)] },
        ...requesterFields(evidence, texts),
        { label: words.requestedAt, value: [`${utcMilliseconds(evidence.requestedAt)} ${texts.utc}`] },
        ...(evidence.expiresAt === null
          ? []
          : [{ label: words.expiresAt, value: [`${utcMilliseconds(evidence.expiresAt)} ${texts.utc}`] }]),
        ...endFields(evidence, texts),
        { label: words.authentication, value: [texts.authentication[evidence.authentication]] },
        {
          label: words.sent,
          value:
            typeof sent === "string"
              ? [words.sentOtherwise[sent]]
              : [hash(sent.sha256), size(sent.size), words.sentSentence],
        },
        { label: words.originalSha256, value: [hash(original.sha256), size(original.size)] },
        ...(activeContent.length === 0
          ? []
          : [{ label: words.activeContent, value: [words.activeContentSentence(activeContent)] }]),
        {
          label: words.sealedSha256,
          value: sealed ? [hash(sealed.sha256), size(sealed.size)] : [words.notSealed[evidence.status]],
        },
      ],
    },
  ];
};

const verifySection = (verifyUrl: string, rootUrl: string | null, { verifySection: words }: ReportTexts): Block[] => [
  { kind: "section", title: words.title },
  {
    kind: "steps",
    steps: [
      ...words.steps(rootUrl).map(({ text, command }) => ({ text, commands: command?.split("\n") ?? [] })),
      { text: [{ text: `${words.online} ` }, { text: verifyUrl, tone: "accent", link: verifyUrl }], commands: [] },
    ],
  },
];

const REACHED = new Set<StepKind>([
  "templateDelivered",
  "templateRead",
  "answered",
  "refused",
  "linkDelivered",
  "linkRead",
]);

/** What the report proves and what it does not: of what is on record, nothing more. */
const scopeSection = ({ signers, seal }: Evidence, { scopeSection: words }: ReportTexts): Block[] => {
  const steps = signers.flatMap((signer) => signer.steps);
  const grounds = {
    link:
      steps.some(({ step }) => step === "opened") || signers.some(({ signedAt, rejectedAt }) => signedAt ?? rejectedAt),
    phone: steps.some(({ step, provider, medium }) => REACHED.has(step) && medium !== "email" && !provider?.simulated),
    photos: signers.some(({ photos }) => photos.length > 0),
    checks: signers.some(({ checks }) =>
      checks.some(({ check, provider }) => check !== "providerFailure" && !provider?.simulated),
    ),
  };
  const paragraphs = [
    seal ? `${words.sealed} ${words.chain}` : words.chain,
    `${words.identity(grounds)} ${words.clock}`,
    words.validity,
  ];
  return [{ kind: "section", title: words.title }, ...paragraphs.map((text): Block => ({ kind: "paragraph", text }))];
};
