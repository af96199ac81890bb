import { readFile, stat } from "node:fs/promises";
import {
  type CertificateStatus,
  certificatesInPem,
  createPdfEngine,
  type SignedKind,
  type Verification,
  type VerifiedSignature,
} from "@rubrica/pdf";
import type { Command } from "commander";
import type { Surroundings } from "./session.ts";

/** A file that can't be verified, or does not hold. */
export class VerifyError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "VerifyError";
  }
}

const MAX_FILE_BYTES = 200 * 1024 * 1024;
/** A certificate's names can be as long as its maker likes, and say anything. */
const MAX_NAME_LENGTH = 200;

/** What only the service can tell, and what is not asked for. */
const UNKNOWN = [
  "Not known without the service: whether the file is on its record, whether that record is intact, what was simulated,",
  "and what was revoked since. Nothing was fetched: `unknown` means that nothing in the file tells of revocation.",
].join("\n");

/** Said of validation data in the service's own form whose authorities are under none of the given roots. */
const BY_OTHERS =
  "Within the last seal or after it are timestamps or validation data of authorities that are not under the given roots: " +
  "what they say was not checked.";

const CUT_OFF =
  "The last seal is over a part of a document, and says that others follow it: what was sealed later was cut off.";

const REWRITTEN =
  "The last seal holds, and is not written as the service writes its seals: the file was changed where no signature is over it.";

const SIGNED_BY_OTHERS =
  "Somebody who is not under the given roots signed after the last one who is: pages may look otherwise since.";

const textIn = async (path: string): Promise<Uint8Array[]> => {
  try {
    return certificatesInPem(await readFile(path, "utf8"));
  } catch (error) {
    throw new VerifyError(`${path} can't be used: ${reasonOf(error)}.`, { cause: error });
  }
};

const bytesIn = async (path: string): Promise<Uint8Array> => {
  try {
    const file = await stat(path);
    if (!file.isFile()) throw new VerifyError("it is no file");
    const { size } = file;
    if (size > MAX_FILE_BYTES) throw new VerifyError(`it is larger than ${MAX_FILE_BYTES} bytes`);
    return new Uint8Array(await readFile(path));
  } catch (error) {
    throw new VerifyError(`${path} can't be read: ${reasonOf(error)}.`, { cause: error });
  }
};

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : "it failed");

const line = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, " ").slice(0, MAX_NAME_LENGTH);
const time = (ms: number | null): string => {
  const date = new Date(ms ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? "no time" : date.toISOString();
};

const worths: Record<CertificateStatus["status"], string> = {
  good: "good",
  unknown: "not expired; whether it was revoked, or might be used so, is unknown",
  not_yet_valid: "not valid yet",
  expired: "expired",
  revoked: "revoked",
};

const changes = {
  none: "nothing",
  signing: "signatures, validation data and metadata alone",
  other: "other content",
} as const;

const witness = ({ proof, claimedAt }: VerifiedSignature): string => {
  if (proof === null) return `nobody but the signer, who claims ${time(claimedAt)}`;
  const trust = proof.trusted ? "trusted" : "not trusted: it proves nothing";
  return `${time(proof.at)}, ${line(proof.authority ?? "")} (${trust})`;
};

const overWhat: Record<SignedKind, string> = {
  document: "the signed document",
  part: "a part, which further seals follow, of the document",
  report: "the legal report of the document",
  verification: "the result of checking the file",
  head: "a head of the event log",
};

/** What a signature says that it is over; of others than the service it says nothing. */
const statedOf = ({ named }: VerifiedSignature): string =>
  named === null ? "nothing" : `${overWhat[named.kind]} ${line(named.id)}`;

const described = (signature: VerifiedSignature, index: number, size: number): string => {
  const { kind, intact, fault, certificate, trusted, certificateStatus, coveredBytes } = signature;
  const facts: [string, string][] = [
    ["intact", intact === null ? `can't be told: ${fault}` : intact ? "yes" : `no: ${fault}`],
    ["signed by", line(certificate?.subject ?? "nobody that can be told")],
    ["issued by", line(certificate?.issuer ?? "")],
    ["under the given roots", trusted ? "yes" : "no"],
    ...(trusted ? [["says that it is over", statedOf(signature)] as [string, string]] : []),
    ["time by", witness(signature)],
    [
      "certificate",
      certificateStatus === null
        ? "can't be told"
        : `${worths[certificateStatus.status]}, as of ${time(certificateStatus.at)}`,
    ],
    ["covers", coveredBytes >= size ? "the whole file" : `the first ${coveredBytes} of ${size} bytes`],
    ["after it came", intact === true ? changes[signature.changesAfter] : "can't be told"],
  ];
  const name = kind === "signature" ? "Signature" : "Document timestamp";
  return [`${index + 1}. ${name}`, ...facts.map(([fact, value]) => `   ${fact.padEnd(22)}${value}`)].join("\n");
};

const isWorthless = ({ certificateStatus }: VerifiedSignature): boolean =>
  certificateStatus === null || ["expired", "revoked", "not_yet_valid"].includes(certificateStatus.status);

/** What is wrong, in a sentence; null when nothing is. */
const faultOf = ({ readable, afterSeal, signatures }: Verification): string | null => {
  if (!readable) return "The file is no PDF that can be read.";
  if (signatures.length === 0) return "The file has no signatures.";
  const own = signatures.filter(({ kind }) => kind === "signature");
  if (signatures.some(({ intact }) => intact === false)) return "A signature does not hold.";
  if (signatures.some(({ intact }) => intact === null)) return "A signature is of a form that can't be checked.";
  if (signatures.some(({ changesAfter }) => changesAfter === "other")) return "The file was changed after a signature.";
  if (!own.some(({ trusted }) => trusted)) return "No signature is under the given roots.";
  // Whoever signs later can draw over what was signed before.
  if (own.at(-1)?.trusted !== true) return SIGNED_BY_OTHERS;
  if (own.at(-1)?.named?.kind === "part") return CUT_OFF;
  // What such a seal says is signed: that it is one of the service, which writes each in one form.
  if (afterSeal === null && own.at(-1)?.named) return REWRITTEN;
  if (afterSeal === "other") return "After the last seal came something that the service does not write.";
  return own.some((each) => each.trusted && isWorthless(each))
    ? "A certificate had expired or was revoked, and nothing proves that it signed before."
    : null;
};

interface Options {
  roots?: string;
  timestampRoots?: string;
  json?: true;
}

/** `verify FILE`: what `/verify` says of a file, without a server. */
export const verifyCommand = (program: Command, { runtime: { clock }, print }: Surroundings): void => {
  program
    .command("verify")
    .description("check the signatures of a PDF as /verify does, without a server and without its records")
    .argument("<file>", "a PDF")
    .option("--roots <pem>", "certificates that signatures have to be under: the service's /pki/ca.crt in PEM, say")
    .option("--timestamp-roots <pem>", "certificates of authorities whose time is trusted")
    .option("--json", "what was found as one line of JSON")
    .action(async (path: string, { roots, timestampRoots, json }: Options) => {
      const trusted = roots === undefined ? [] : await textIn(roots);
      const knowledge = timestampRoots === undefined ? {} : { timestampRoots: await textIn(timestampRoots) };
      const bytes = await bytesIn(path);
      const engine = createPdfEngine({ clock, processes: 1 });
      try {
        const found = await engine.verify(bytes, trusted, "", knowledge);
        const fault = faultOf(found);
        if (json) await print(JSON.stringify({ file: path, checkedAt: time(clock.now()), fault, ...found }));
        else {
          for (const [index, each] of found.signatures.entries()) await print(described(each, index, bytes.length));
          if (found.afterSeal === "validation_data_by_others") await print(BY_OTHERS);
          await print(UNKNOWN);
        }
        if (fault !== null) throw new VerifyError(fault);
        if (!json) await print("Every signature holds.");
      } finally {
        await engine.close();
      }
    });
};
