import type {
  Authentication,
  CorrectableField,
  DocumentEvent,
  Medium,
  PhotoKind,
  SignatureMethod,
  WithdrawalReason,
} from "@rubrica/events";
import type { ActiveContent } from "@rubrica/pdf";
import type {
  CheckEvidence,
  Evidence,
  FileState,
  OriginEvidence,
  ProviderFileEvidence,
  ToldStep,
} from "./evidence/evidence.ts";

/** What is on record of at least one signer. */
export interface Grounds {
  /** Somebody was on the page, with the personal link. */
  link: boolean;
  /** A message reached the phone. */
  phone: boolean;
  photos: boolean;
  /** Photos were checked. */
  checks: boolean;
}

/** All words of a report: what each language has a table of. */
export interface ReportTexts {
  /** BCP 47. */
  language: string;
  title: string;
  /** Footer; `{page}` and `{pages}` are filled in. */
  page: string;
  document: string;
  generatedAt: string;
  verifyOnline: string;
  forgotten: string;
  fileGone: string;
  none: string;
  utc: string;
  status: {
    completed: string;
    rejected: string;
    canceled: string;
    expired: string;
    /** How many of the signers have signed; when the last one did, null when nobody did. */
    completedSentence: (signed: number, signers: number, at: string | null) => string;
    rejectedSentence: (who: string, at: string) => string;
    canceledSentence: (at: string) => string;
    expiredSentence: (at: string) => string;
    warning: string;
    warningSentence: string;
  };
  requester: {
    /** Takes the account's registered name. */
    byAccount: (name: string) => string;
    /** Takes the name that signers were shown. */
    shownAs: (name: string) => string;
    account: string;
    key: string;
    namelessKey: string;
    ip: string;
    shown: string;
    shownNote: string;
    notRecorded: string;
  };
  /** What was not real, and what nobody else trusts. */
  simulation: {
    title: string;
    demo: string;
    /** `inPart`: others had a part in it that are real. */
    messages: (providers: readonly string[], inPart: boolean) => string;
    identity: (providers: readonly string[], inPart: boolean) => string;
    ownAuthorityTitle: string;
    ownAuthority: string;
    /** On each page. */
    onPage: string;
    demoOnPage: string;
    simulatedBy: (name: string) => string;
    /** After what an event tells. */
    mark: string;
    notRecorded: string;
  };
  documentSection: {
    title: string;
    name: string;
    id: string;
    pages: string;
    requestedAt: string;
    expiresAt: string;
    completedAt: string;
    rejectedAt: string;
    rejectedBy: string;
    canceledAt: string;
    canceledBy: string;
    expiredAt: string;
    reason: string;
    authentication: string;
    sent: string;
    /** Of a file that was changed to be signed. */
    sentSentence: string;
    sentOtherwise: Record<Extract<Evidence["sent"], string>, string>;
    originalSha256: string;
    activeContent: string;
    activeContentSentence: (kinds: readonly ActiveContent[]) => string;
    sealedSha256: string;
    /** By how the document ended. */
    notSealed: Record<Evidence["status"], string>;
    bytes: (count: string) => string;
  };
  authentication: Record<Authentication, string>;
  checksSection: {
    title: string;
    intro: string;
    check: string;
    result: string;
    good: string;
    bad: string;
    unknown: string;
    chain: string;
    chainHolds: (events: number) => string;
    chainBroken: (revision: number) => string;
    chainOther: (revision: number) => string;
    sent: string;
    original: string;
    sealed: string;
    seal: string;
    sealOverOriginal: string;
    sealOverOther: string;
    agreed: string;
    agreedAll: string;
    agreedNot: (who: string) => string;
    consentMissing: (who: string) => string;
    pictures: string;
    picturesOf: (intact: number, all: number) => string;
    file: Record<FileState, string>;
    lastHash: string;
    logHead: (at: string) => string;
    noLogHead: string;
  };
  signersSection: {
    title: string;
    number: string;
    name: string;
    idNumber: string;
    state: string;
    at: string;
    signer: (number: number, of: number) => string;
    signed: string;
    rejected: string;
    notSigned: string;
    id: string;
    phone: string;
    reached: string;
    email: string;
    order: string;
    askedWith: (numbers: readonly number[]) => string;
    corrected: string;
    correctedBy: (at: string, account: string, key: string) => string;
    correctable: Record<CorrectableField, string>;
    /** How a message went. */
    messageBy: Record<Medium, string>;
    /** What is recorded of how the signer was reached by messages, the most first; `how` says by which. */
    reachedBy: Record<"link" | "template", (how: readonly string[]) => string>;
    /** Where no message is recorded. */
    notReached: Record<"attempt" | "nothing" | "nothingWanted", string>;
    /** Beside what a message did, where it was not the messaging app's. */
    medium: Record<Medium, string>;
    /** The same where the provider only simulates. */
    simulatedReach: string;
    messagesBy: string;
    /** Beside any but a sent link, for a signer who was on the page all the same. */
    openedWithoutLink: string;
    steps: Record<ToldStep, string>;
    /** By the reasons of events; one that is not among them is told as it stands there. */
    messageFailures: Readonly<Record<string, string>>;
    signedAt: string;
    rejectedAt: string;
    consent: string;
    consentGiven: (version: string, at: string) => string;
    consentUnknown: string;
    consentMissing: string;
    agreedTo: string;
    ip: Record<OriginEvidence["act"] | "forgotten", string>;
    ipNotRecorded: string;
    browser: Record<OriginEvidence["act"] | "forgotten", string>;
    unknownBrowser: string;
    /** How a signature came to be, as the title of its picture. */
    signature: Record<SignatureMethod | "notRecorded", string>;
    noDrawing: string;
    pictures: string;
    pictureNotShown: string;
    photo: Record<PhotoKind, string>;
    attempt: (number: number) => string;
    counts: string;
    superseded: string;
  };
  checksOfSigner: {
    title: string;
    photosTitle: string;
    at: string;
    check: string;
    attempt: string;
    result: string;
    /** Takes who said it. */
    by: (provider: string) => string;
    sha256: string;
    names: Record<CheckEvidence["check"], string>;
    results: Record<CheckEvidence["result"], string>;
    /** What the words stand for that the identity provider and the checks use; others are shown as they are. */
    reasons: Readonly<Record<string, string>>;
  };
  provider: {
    title: string;
    /** Takes whose evidence it is. */
    intro: (provider: string) => string;
    awaited: string;
    none: string;
    kinds: Record<ProviderFileEvidence["kind"], string>;
    showsNotSaid: string;
    file: string;
    mediaType: string;
    sha256: string;
    attached: (name: string) => string;
    notAttached: string;
    /** A file's name inside the report, without its ending. */
    fileName: (signer: number, file: number) => string;
  };
  log: {
    title: string;
    intro: string;
    number: string;
    at: string;
    event: string;
    actor: string;
    hash: string;
    unreadable: string;
    more: (count: number) => string;
    attempt: (number: number) => string;
    events: Record<Exclude<DocumentEvent["type"], "DocumentWithdrawn">, string>;
    withdrawals: Record<WithdrawalReason, string>;
    actors: {
      integrator: string;
      signer: string;
      operator: string;
      provider: string;
      simulator: string;
      service: (name: string) => string;
    };
    services: Record<string, string>;
  };
  sealSection: {
    title: string;
    /** Why there is none, by how the document ended. */
    none: Record<Evidence["status"], string>;
    sealedAt: string;
    level: string;
    shortfall: string;
    timestamp: string;
    timestampAuthority: string;
    /** The level as it was sealed, where it was augmented since. */
    sealedLevel: string;
    augmented: Record<"complete" | "renew", string>;
    formerFiles: string;
    levels: Record<"B-B" | "B-T" | "B-LT" | "B-LTA", string>;
    authority: string;
    ownAuthority: string;
    othersAuthority: string;
    certificate: string;
    unknownChain: string;
    own: string;
    issuedBy: string;
    serialNumber: string;
    validity: string;
    fingerprint: string;
    certificateRole: (index: number, of: number) => string;
  };
  verifySection: {
    title: string;
    /** `rootUrl`: where the root certificate is published; null when it is another authority's. */
    steps: (rootUrl: string | null) => readonly { text: string; command?: string }[];
    online: string;
  };
  scopeSection: {
    title: string;
    sealed: string;
    chain: string;
    /** On what it rests that whoever acted is the person named: what is on record of any signer. */
    identity: (grounds: Grounds) => string;
    clock: string;
    validity: string;
  };
}
