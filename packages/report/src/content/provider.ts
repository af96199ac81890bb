import type { ProviderFileEvidence, SignerEvidence } from "../evidence/evidence.ts";
import type { Attachment, Block } from "../layout/blocks.ts";
import type { ReportTexts } from "../texts.ts";
import { saidProvider } from "./simulated.ts";
import { small, smallHash } from "./words.ts";

/** What ends the names of files that go with a report. */
const ENDINGS: Readonly<Record<string, string>> = {
  "application/json": ".json",
  "application/pdf": ".pdf",
  "text/plain": ".txt",
};

interface Named extends ProviderFileEvidence {
  /** The file's name inside the report; null for one that does not go with it. */
  name: string | null;
}

/** A signer's files, those that go with the report by name. */
const namedFiles = ({ number, provider }: SignerEvidence, { provider: words }: ReportTexts): Named[] => {
  if (typeof provider === "string") return [];
  return provider.files.map((file, index) => ({
    ...file,
    name: file.attached && `${words.fileName(number, index + 1)}${ENDINGS[file.mediaType] ?? ""}`,
  }));
};

const saidKind = ({ kind, shows }: Pick<Named, "kind" | "shows">, { provider, signersSection }: ReportTexts): string =>
  shows === null ? provider.kinds[kind] : signersSection.photo[shows];

const photos = (files: readonly Named[], texts: ReportTexts): Block[] => {
  const shown = files.filter(({ kind }) => kind === "photo");
  if (shown.length === 0) return [];
  return [
    {
      kind: "pictures",
      pictures: shown.map(({ shows, picture, state, sha256 }) => ({
        image: picture,
        missing: state === "gone" ? texts.fileGone : texts.signersSection.pictureNotShown,
        caption: [
          [{ text: saidKind({ kind: "photo", shows }, texts), face: "bold", size: 8 }],
          ...(shows === null ? [small(texts.provider.showsNotSaid)] : []),
          smallHash(sha256),
        ],
      })),
    },
  ];
};

const table = (files: readonly Named[], texts: ReportTexts): Block => {
  const { provider: words, documentSection } = texts;
  const whereabouts = ({ kind, name, state }: Named) => {
    if (kind === "photo") return [];
    if (name !== null) return [small(words.attached(name))];
    return [small(state === "intact" ? words.notAttached : texts.fileGone)];
  };
  return {
    kind: "table",
    columns: [{ title: words.file }, { title: words.mediaType, width: 100 }, { title: words.sha256, width: 250 }],
    rows: files.map((file) => [
      [saidKind(file, texts), ...whereabouts(file)],
      [file.mediaType, small(documentSection.bytes(file.size.toLocaleString(texts.language)))],
      [[{ text: file.sha256, face: "monospaced", size: 6.4 }]],
    ]),
  };
};

/** What the identity provider gave out of a signer, once the document had ended. */
export const providerBlocks = (signer: SignerEvidence, texts: ReportTexts): Block[] => {
  const { provider: words } = texts;
  if (signer.provider === "none") return [];
  const files = namedFiles(signer, texts);
  const by = saidProvider(typeof signer.provider === "string" ? null : signer.provider.provider, texts);
  const nothing = signer.provider === "awaited" ? words.awaited : words.none;
  return [
    { kind: "label", title: words.title },
    { kind: "paragraph", text: files.length === 0 ? nothing : words.intro(by), tone: "muted" },
    ...photos(files, texts),
    ...(files.length === 0 ? [] : [table(files, texts)]),
  ];
};

/** The identity provider's audits, which go with the report as files of their own. */
export const attachmentsOf = (signers: readonly SignerEvidence[], texts: ReportTexts): Attachment[] =>
  signers.flatMap((signer) =>
    namedFiles(signer, texts).flatMap(({ name, attached, mediaType, kind }) =>
      name === null || attached === null
        ? []
        : [{ name, bytes: attached, mediaType, description: texts.provider.kinds[kind] }],
    ),
  );
