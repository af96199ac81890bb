import type { Augmentation, Augmented } from "../port.ts";
import { Authorities } from "./authorities.ts";
import { unprovenAs, withDocumentTimestamp } from "./document-timestamp.ts";
import type { SealTools } from "./seal.ts";
import type { SealsOfFile, SignedBy } from "./seals-of-file.ts";
import { gatherValidationData, type ValidationData, ValidationDataMissing } from "./validation-data.ts";

/**
 * Augments a sealed document by incremental updates alone: completes its seal, or renews its last document timestamp.
 * See {@link PdfEngine.augment}.
 */
export const augment = async (tools: SealTools, bytes: Uint8Array, augmentation: Augmentation): Promise<Augmented> => {
  const { kind, certificateSha256, identity, timestamps } = augmentation;
  const found = await tools.runner.run({ kind: "readSeals", bytes, certificateSha256 });
  if (found.seals.length === 0) throw new Error("the file has no seal of the certificate that sealed it");
  // What a timestamp rests on that is added now has to hold for years.
  const authorities = new Authorities(timestamps.urls, tools, true);
  if (kind === "complete") return complete(tools, bytes, found, authorities, augmentation);
  const last = found.timestamps.at(-1);
  if (last === undefined) throw new Error("the file has no document timestamp to renew");
  const data = await gatherValidationData([last.signer], knownOf(last, identity), identity.authority, tools);
  const renewed = await withDocumentTimestamp(tools.runner, bytes, data, authorities);
  return { ...appended(renewed), ...reached(found) };
};

/** What a seal counts as with all that it takes. */
const reached = ({ unprovenIssuer }: SealsOfFile): Pick<Augmented, "level" | "shortfall" | "isShortfallTemporary"> =>
  unprovenIssuer === null
    ? { level: "B-LTA", shortfall: null, isShortfallTemporary: false }
    : unprovenAs(unprovenIssuer);

/**
 * Brings a seal to B-LTA. One without any timestamp is given a document timestamp first: from then on it is known to have
 * existed, so that what tells of its certificates is newer.
 */
const complete = async (
  tools: SealTools,
  bytes: Uint8Array,
  found: SealsOfFile,
  authorities: Authorities,
  { identity }: Augmentation,
): Promise<Augmented> => {
  const { runner } = tools;
  const { seals, timestamps } = found;
  const isTimestamped = timestamps.length > 0 || seals.every(({ timestamp }) => timestamp !== null);
  const first = isTimestamped ? null : await withDocumentTimestamp(runner, bytes, null, authorities);
  const tokens = [...seals.flatMap(({ timestamp }) => timestamp ?? []), ...timestamps];
  if (first !== null) tokens.push(first.token.signedData);
  const signed = [...seals, ...tokens];
  let data: ValidationData;
  try {
    const known = signed.flatMap((one) => knownOf(one, identity));
    const signers = signed.map(({ signer }) => signer);
    data = await gatherValidationData(signers, known, identity.authority, tools);
  } catch (error) {
    if (!(error instanceof ValidationDataMissing) || first === null) throw error;
    return { ...appended(first), level: "B-T", shortfall: error.message, isShortfallTemporary: error.isTemporary };
  }
  const archived = await withDocumentTimestamp(runner, first?.bytes ?? bytes, data, authorities);
  return { ...appended(archived), ...reached(found) };
};

const appended = ({ bytes, timestamp, provenUntil }: Awaited<ReturnType<typeof withDocumentTimestamp>>) => ({
  bytes,
  timestamp,
  provenUntil,
});

const knownOf = ({ certificates }: SignedBy, { issuers }: Augmentation["identity"]): Uint8Array[] => [
  ...certificates,
  ...issuers,
];
