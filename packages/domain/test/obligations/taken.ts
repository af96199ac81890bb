import { type MessageKind, type ReleaseReason, sample } from "@rubrica/events";
import { augmented, otherDocumentId, seal } from "@rubrica/test-kit/document-history";
import {
  attemptMessage,
  type Document,
  DomainError,
  holdsTurn,
  identityCheckOf,
  leaveLine,
  prepareDocument,
  recordAugmented,
  recordEvidence,
  recordForgotten,
  recordQueued,
  recordReport,
  recordSealed,
  recordTurnCome,
  releaseReason,
  type Signer,
  scheduleReminder,
  signerOf,
} from "../../src/index.ts";
import { MEDIA, type World } from "./world.ts";

/** Whether a decider decides something, and does not refuse. Nobody reads a refusal's stack here, which takes most of the time. */
const decides = (decide: () => unknown): boolean => {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    const decided = decide();
    return Array.isArray(decided) ? decided.length > 0 : decided !== null;
  } catch (error) {
    if (error instanceof DomainError) return false;
    throw error;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
};

const sealedFileOf = (document: Document): string =>
  (document.status === "completed" && document.seal?.file.sha256) || sample.sha256;

const takenByDocument = (document: Document): [kind: string, taken: boolean][] => [
  ["prepare", decides(() => prepareDocument(document, { file: sample.pdf, pageCount: 1 }))],
  ["seal", decides(() => recordSealed(document, seal))],
  [
    "complete-seal",
    decides(() => recordAugmented(document, { ...augmented("complete"), from: sealedFileOf(document) })),
  ],
  [
    "renew-timestamp",
    decides(() => recordAugmented(document, { ...augmented("renew"), from: sealedFileOf(document) })),
  ],
  ["fetch-evidence", decides(() => recordEvidence(document, { provider: sample.provider, files: [] }))],
  ["forget", decides(() => recordForgotten(document))],
  ["report", decides(() => recordReport(document, { sizeBytes: 1 }))],
];

/** As what a turn is owed to be given back for this reason. */
const endOf = (reason: ReleaseReason | null): string => {
  if (reason === "refused") return "end-refusal";
  return reason === "unanswered" ? "end-silence" : "release-turn";
};

const takenOfSigner = (
  world: World,
  documentId: string,
  { signerId, lineId, linkNumber, formerLineIds }: Signer,
): [kind: string, taken: boolean][] => {
  const document = world.document(documentId);
  const line = world.line(lineId ?? "");
  const claim = { documentId, signerId };
  const reason = releaseReason(document, signerId);
  const message = (kind: MessageKind) => {
    const owed = world.owed().find(({ obligation }) => obligation.kind === `send-${kind}`);
    const messageId = owed?.obligation.id ?? "another";
    const attempt = (signerOf(document, signerId).messages[messageId]?.attempts ?? 0) + 1;
    const named = { signerId, kind, messageId, attempt };
    return attemptMessage(document, {
      ...named,
      media: MEDIA,
      providerBy: () => sample.provider,
      timeZone: "UTC",
      now: world.now,
    });
  };
  return [
    ["check-identity", decides(() => identityCheckOf(document, signerId))],
    ["claim-turn", decides(() => recordQueued(document, { signerId, linkNumber, behindDocumentId: otherDocumentId }))],
    ["announce-turn", holdsTurn(line, claim) && decides(() => recordTurnCome(document, { signerId, linkNumber }))],
    [
      "leave-line",
      formerLineIds.some((former) => leaveLine(world.line(former), { ...claim, reason: "corrected" }).length > 0),
    ],
    [endOf(reason), reason !== null && decides(() => leaveLine(line, { ...claim, reason }))],
    ["send-template", decides(() => message("template"))],
    ["send-link", decides(() => message("link"))],
    ["send-copy", decides(() => message("copy"))],
    ["schedule-reminder", decides(() => scheduleReminder(document, { signerId, timeZone: "UTC", now: world.now }))],
    ["send-reminder", decides(() => message("reminder"))],
    ["send-refusal", decides(() => message("refusal"))],
    ["send-cancellation", decides(() => message("cancellation"))],
  ];
};

/** What the deciders would take as due for a document, as `kind` or `kind:signer`, sorted. */
export const takenAsDue = (world: World, documentId: string): string[] => {
  const document = world.document(documentId);
  if (document.status === "none") return [];
  const ofSigners = document.signers.flatMap((signer) =>
    takenOfSigner(world, documentId, signer).map(([kind, taken]) => [`${kind}:${signer.signerId}`, taken] as const),
  );
  return [...takenByDocument(document), ...ofSigners]
    .filter(([, taken]) => taken)
    .map(([name]) => name)
    .sort();
};

/**
 * What is owed by a document, in the same words. Webhooks are no decider's, a refund is the account's to decide,
 * anybody may ask for an erasure, and time alone makes an expiry due.
 */
export const openOf = (world: World, documentId: string): string[] =>
  world
    .owed()
    .filter((owing) => owing.documentId === documentId)
    .map(({ obligation }) => obligation)
    .filter(({ kind }) => kind !== "refund" && kind !== "erase" && kind !== "expire" && kind !== "webhook")
    .map(({ kind, signerId }) => (signerId === null ? kind : `${kind}:${signerId}`))
    .sort();
