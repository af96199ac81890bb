import type { CheckEvidence, SignerEvidence } from "../evidence/evidence.ts";
import type { Block, Span } from "../layout/blocks.ts";
import type { ReportTexts } from "../texts.ts";
import { saidProvider } from "./simulated.ts";
import { utcMilliseconds } from "./times.ts";
import { small } from "./words.ts";

/** A signer's photos, and what was found of them. */
export const identityBlocks = (signer: SignerEvidence, texts: ReportTexts): Block[] => [
  ...photoTable(signer, texts),
  ...checkTable(signer, texts),
];

const photoTable = ({ photos }: SignerEvidence, texts: ReportTexts): Block[] => {
  const { checksOfSigner: words, signersSection } = texts;
  if (photos.length === 0) return [];
  return [
    { kind: "label", title: words.photosTitle },
    {
      kind: "table",
      columns: [
        { title: words.at, width: 110 },
        { title: signersSection.pictures },
        { title: words.sha256, width: 250 },
      ],
      rows: photos.map(({ kind, attempt, uploadedAt, sha256, counts }) => [
        [utcMilliseconds(uploadedAt)],
        [
          signersSection.photo[kind],
          small(`${signersSection.attempt(attempt)} · ${counts ? signersSection.counts : signersSection.superseded}`),
        ],
        [[{ text: sha256, face: "monospaced", size: 6.4 }]],
      ]),
    },
  ];
};

/** A word of a provider; no approval where it only simulates. */
const resultOf = (
  result: CheckEvidence["result"],
  provider: CheckEvidence["provider"],
  { checksOfSigner: words, simulation }: ReportTexts,
): Span => {
  const text = words.results[result];
  if (provider?.simulated) return { text: `${text} (${simulation.mark})`, face: "bold", tone: "muted" };
  return { text, face: "bold", tone: result === "approved" ? "good" : "bad" };
};

const checkTable = ({ checks }: SignerEvidence, texts: ReportTexts): Block[] => {
  const { checksOfSigner: words } = texts;
  if (checks.length === 0) return [];
  return [
    { kind: "label", title: words.title },
    {
      kind: "table",
      columns: [
        { title: words.at, width: 110 },
        { title: words.check },
        { title: words.attempt, width: 48 },
        { title: words.result, width: 150 },
      ],
      rows: checks.map(({ at, check, attempt, result, reason, provider }) => [
        [utcMilliseconds(at)],
        [words.names[check]],
        [String(attempt)],
        [
          [resultOf(result, provider, texts)],
          small(words.by(saidProvider(provider, texts))),
          ...(reason === null ? [] : [small(texts.checksOfSigner.reasons[reason] ?? reason)]),
        ],
      ]),
    },
  ];
};
