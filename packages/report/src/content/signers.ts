import { readableBrowser } from "../evidence/browser.ts";
import type { Evidence, PictureEvidence, SignerEvidence, StepKind } from "../evidence/evidence.ts";
import type { Block, Field, Image, Span, Text } from "../layout/blocks.ts";
import type { ReportTexts } from "../texts.ts";
import { identityBlocks } from "./identity.ts";
import { providerBlocks } from "./provider.ts";
import { saidProvider } from "./simulated.ts";
import { signersTime, utcMilliseconds } from "./times.ts";
import { clipped, hash, small, smallHash } from "./words.ts";

const MAX_USER_AGENT = 500;

const forgotten = (texts: ReportTexts): Text => [{ text: texts.forgotten, tone: "muted" }];

const nameOf = ({ person }: SignerEvidence, texts: ReportTexts): string =>
  person ? clipped(person.name, 200) : texts.forgotten;

const stateOf = ({ signedAt, rejectedAt }: SignerEvidence, { signersSection: words }: ReportTexts): Span => {
  if (rejectedAt) return { text: words.rejected, face: "bold", tone: "bad" };
  if (signedAt) return { text: words.signed, face: "bold", tone: "good" };
  return { text: words.notSigned, tone: "muted" };
};

const idNumberOf = ({ person }: SignerEvidence, texts: ReportTexts): Text => {
  if (!person) return forgotten(texts);
  const { idNumber, idNumberCountry } = person;
  return clipped(idNumberCountry ? `${idNumber} (${idNumberCountry})` : idNumber, 200);
};

/** Who was asked to sign, and what each did. */
const overview = (evidence: Evidence, texts: ReportTexts): Block => {
  const { signersSection: words } = texts;
  return {
    kind: "table",
    columns: [
      { title: words.number, width: 26 },
      { title: words.name },
      { title: words.idNumber, width: 116 },
      { title: words.state, width: 62 },
      { title: words.at, width: 118 },
    ],
    rows: evidence.signers.map((signer) => {
      const at = signer.rejectedAt ?? signer.signedAt;
      return [
        [String(signer.number)],
        [signer.person ? nameOf(signer, texts) : forgotten(texts)],
        [idNumberOf(signer, texts)],
        [[stateOf(signer, texts)]],
        [at ? utcMilliseconds(at) : texts.none],
      ];
    }),
  };
};

const fieldsOf = (signer: SignerEvidence, evidence: Evidence, texts: ReportTexts): Field[] => {
  const { signersSection: words } = texts;
  const { person, signedAt, rejectedAt, timeZone, askedWith } = signer;
  return [
    { label: words.idNumber, value: [idNumberOf(signer, texts)] },
    { label: words.phone, value: [person ? clipped(person.phone, 100) : forgotten(texts)] },
    ...(person?.email ? [{ label: words.email, value: [clipped(person.email, 200)] }] : []),
    ...(askedWith.length > 0 ? [{ label: words.order, value: [words.askedWith(askedWith)] }] : []),
    ...correctedFields(signer, texts),
    { label: words.reached, value: reachedOf(signer, evidence, texts) },
    ...(signedAt ? [{ label: words.signedAt, value: [signersTime(signedAt, timeZone, texts)] }] : []),
    ...(rejectedAt ? [{ label: words.rejectedAt, value: [signersTime(rejectedAt, timeZone, texts)] }] : []),
    ...originFields(signer, texts),
    ...consentFields(signer, texts),
  ];
};

/** What of the signer was corrected, when, and by which key. */
const correctedFields = ({ corrections }: SignerEvidence, texts: ReportTexts): Field[] => {
  const { signersSection: words } = texts;
  if (corrections.length === 0) return [];
  const said = (value: string | null): string => (value === null || value === "" ? texts.none : clipped(value, 200));
  const lines = corrections.flatMap(({ at, by, changes, formerName }): Text[] => [
    [
      {
        text: words.correctedBy(`${utcMilliseconds(at)} ${texts.utc}`, clipped(by.accountName), by.keyName ?? by.keyId),
        tone: "muted",
      },
    ],
    ...changes.map(({ field, before, after }): Text => {
      const what = formerName === null ? texts.forgotten : `${said(before)} → ${said(after)}`;
      return `${words.correctable[field]}: ${what}`;
    }),
  ]);
  return [{ label: words.corrected, value: lines }];
};

/** How the signer was reached, as far as events tell: whatever none tells is not claimed. */
const reachedOf = (
  { steps, signedAt, rejectedAt }: SignerEvidence,
  { sendMessages }: Evidence,
  texts: ReportTexts,
): Text[] => {
  const { signersSection: words } = texts;
  const has = (...kinds: StepKind[]) => steps.some(({ step }) => kinds.includes(step));
  const by = (sent: StepKind): string[] => [
    ...new Set(steps.flatMap(({ step, medium }) => (step === sent && medium ? [words.messageBy[medium]] : []))),
  ];
  const reached = (): string => {
    if (has("linkSent")) return words.reachedBy.link(by("linkSent"));
    if (has("templateSent")) return words.reachedBy.template(by("templateSent"));
    if (has("templateAttempted", "linkAttempted")) return words.notReached.attempt;
    return words.notReached[sendMessages ? "nothing" : "nothingWanted"];
  };
  const ofMessages = steps.filter(({ step }) => step !== "opened");
  const simulated = ofMessages.length > 0 && ofMessages.every(({ provider }) => provider?.simulated === true);
  const providers = new Set(ofMessages.map(({ provider }) => saidProvider(provider, texts)));
  const providerLines: Text[] = [...providers].map((name) => [
    { text: `${words.messagesBy}: `, tone: "muted" },
    { text: name },
  ]);
  const wasThere = has("opened") || (signedAt ?? rejectedAt) !== null;
  return [
    simulated ? words.simulatedReach : reached(),
    ...(wasThere && !has("linkSent") ? [words.openedWithoutLink] : []),
    ...providerLines,
    ...steps.flatMap(({ step, at, reason, provider, medium }): Text[] => {
      if (step === "templateAttempted" || step === "linkAttempted") return [];
      const why = reason === null ? "" : ` (${words.messageFailures[reason] ?? clipped(reason, 200)})`;
      const marks = [medium ? words.medium[medium] : "", provider?.simulated ? texts.simulation.mark : ""];
      const marked = marks.filter((mark) => mark !== "").map((mark) => ` · ${mark}`);
      const said: Span = { text: `${utcMilliseconds(at)} ${texts.utc}${why}${marked.join("")}` };
      return [[{ text: `${words.steps[step]}: `, tone: "muted" }, said]];
    }),
  ];
};

const originFields = ({ origin, steps, signedAt, rejectedAt }: SignerEvidence, texts: ReportTexts): Field[] => {
  const { signersSection: words } = texts;
  if (!origin) {
    const acted = (signedAt ?? rejectedAt) !== null || steps.some(({ step }) => step === "opened");
    return acted
      ? [
          { label: words.ip.forgotten, value: [forgotten(texts)] },
          { label: words.browser.forgotten, value: [forgotten(texts)] },
        ]
      : [];
  }
  const raw: Text = [{ text: clipped(origin.userAgent, MAX_USER_AGENT), face: "monospaced", size: 7, tone: "muted" }];
  return [
    {
      label: words.ip[origin.act],
      value: [
        origin.ip === null
          ? [{ text: words.ipNotRecorded, tone: "muted" }]
          : [{ text: origin.ip, face: "monospaced", size: 8.5 }],
      ],
    },
    {
      label: words.browser[origin.act],
      value: [readableBrowser(origin.userAgent) ?? words.unknownBrowser, ...(origin.userAgent === "" ? [] : [raw])],
    },
  ];
};

const consentFields = ({ consent, signedAt }: SignerEvidence, texts: ReportTexts): Field[] => {
  const { signersSection: words } = texts;
  if (!consent) return signedAt ? [{ label: words.consent, value: [words.consentMissing] }] : [];
  const given: Text = [
    { text: words.consentGiven(consent.version, `${utcMilliseconds(consent.at)} ${texts.utc}`), tone: "muted" },
  ];
  return [
    { label: words.consent, value: [given, consent.text === null ? words.consentUnknown : `«${consent.text}»`] },
    { label: words.agreedTo, value: [hash(consent.documentSha256)] },
  ];
};

/** The drawing and the photos that count, side by side, each with whose it is: they may begin a page. */
const pictures = (signer: SignerEvidence, texts: ReportTexts): Block[] => {
  const { signersSection: words } = texts;
  const shown = (title: string, evidence: PictureEvidence, ...notes: string[]) => ({
    image: evidence.picture satisfies Image | null,
    missing: evidence.state === "gone" ? texts.fileGone : words.pictureNotShown,
    caption: [
      [{ text: title, face: "bold" as const, size: 8 }],
      ...[nameOf(signer, texts), ...notes].map(small),
      smallHash(evidence.sha256),
    ],
  });
  const { drawing, method, photos, signedAt } = signer;
  const all = [
    ...(drawing
      ? [
          shown(
            words.signature[method ?? "notRecorded"],
            drawing,
            signedAt ? `${utcMilliseconds(signedAt)} ${texts.utc}` : "",
          ),
        ]
      : []),
    ...photos
      .filter(({ counts }) => counts)
      .map((photo) =>
        shown(
          words.photo[photo.kind],
          photo,
          `${utcMilliseconds(photo.uploadedAt)} ${texts.utc}`,
          words.attempt(photo.attempt),
        ),
      ),
  ];
  return all.length > 0 ? [{ kind: "pictures", pictures: all }] : [];
};

/** The section of the signers: all at a glance, then each in full. */
export const signerSections = (evidence: Evidence, texts: ReportTexts): Block[] => {
  const { signersSection: words } = texts;
  const { signers } = evidence;
  return [
    { kind: "section", title: words.title },
    ...(signers.length > 1 ? [overview(evidence, texts)] : []),
    ...signers.flatMap((signer): Block[] => [
      {
        kind: "subsection",
        title: nameOf(signer, texts),
        note: [{ text: `${words.signer(signer.number, signers.length)} · `, tone: "muted" }, stateOf(signer, texts)],
      },
      { kind: "fields", fields: fieldsOf(signer, evidence, texts) },
      ...pictures(signer, texts),
      ...identityBlocks(signer, texts),
      ...providerBlocks(signer, texts),
    ]),
  ];
};
