import { X509Certificate } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Config, ConfigError, type SigningCertificate } from "@rubrica/config";
import { DataFolderError } from "@rubrica/open-engines";
import {
  type CertificateAuthority,
  certificatesInPem,
  loadOrCreateSigningIdentity,
  type SigningIdentity,
  signingIdentityFromP12,
  type Timestamps,
} from "@rubrica/pdf";
import type { Runtime } from "@rubrica/runtime";
import type { App } from "../app.ts";
import type { Host } from "../host.ts";

/** What this service seals with, and what its seals are checked against. */
export interface Signing {
  identity: SigningIdentity;
  /** The own authority, also when a certificate from elsewhere seals today: what it issued before must stay checkable. */
  authority: CertificateAuthority | null;
  /** Certificates (DER) that only seals of this service have, or chain to: today's first. */
  roots: readonly Uint8Array[];
  /** Certificates (DER) of authorities whose timestamps are trusted when files are verified. */
  timestampRoots: readonly Uint8Array[];
}

/** Where the timestamps of seals come from; undefined where they carry none. */
export const timestampsOf = ({ tsaUrls }: Pick<Config, "tsaUrls">): Timestamps | undefined =>
  tsaUrls.length === 0 ? undefined : { urls: tsaUrls };

/** The parts of a host that decide which certificate and timestamps seals have. */
export interface SigningSurroundings extends Pick<Host, "publicUrl" | "runtime"> {
  config: Pick<Host["config"], "dataDir" | "signingCertificate" | "formerCertificates" | "timestampRoots">;
}

/**
 * The certificate that the environment names, else the service's own, made at the first start.
 * @throws {ConfigError} when the certificate that is named can't be used. @throws {DataFolderError} when the own one can't.
 */
export const openSigning = async ({
  config: { dataDir, signingCertificate, formerCertificates, timestampRoots: timestampRootsPath },
  publicUrl,
  runtime: { clock, random },
}: SigningSurroundings): Promise<Signing> => {
  const own = async () => {
    try {
      return await loadOrCreateSigningIdentity(dataDir, publicUrl, clock, random);
    } catch (error) {
      // An error of the disk goes on as it is; any other is about what the file holds.
      if (error instanceof Error && "syscall" in error) throw error;
      throw new DataFolderError(`The folder ${join(dataDir, "pki")} is damaged: restore it from a backup.`, error);
    }
  };
  const formerly = await certificatesIn("FORMER_CERTIFICATES", formerCertificates);
  const timestampRoots = await certificatesIn("TSA_ROOTS", timestampRootsPath);
  if (!signingCertificate) {
    const identity = await own();
    return { identity, authority: identity.authority, roots: [...rootsOf(identity), ...formerly], timestampRoots };
  }
  const identity = await fromFile(signingCertificate);
  const former = existsSync(join(dataDir, "pki", "authority")) ? await own() : undefined;
  return {
    identity,
    authority: former?.authority ?? null,
    // A certificate from elsewhere stands for itself alone: its authority issues certificates to anybody.
    roots: [identity.certificate, ...(former ? rootsOf(former) : []), ...formerly],
    timestampRoots,
  };
};

/** Tells how long the certificate that seals is still good for. */
export const signingPart = ({ identity }: Pick<Signing, "identity">, { clock }: Pick<Runtime, "clock">): App => {
  const endsMs = Date.parse(new X509Certificate(identity.certificate).validTo);
  return { measurements: { certificateSeconds: async () => [{ value: (endsMs - clock.now()) / 1_000 }] } };
};

/** The own authority: it issues certificates to this service alone. */
const rootsOf = ({ authority }: SigningIdentity): Uint8Array[] => (authority ? [authority.certificate] : []);

/** The certificates (DER) of a file that a variable names; none where it names none. @throws {ConfigError} */
const certificatesIn = async (variable: string, path: string | undefined): Promise<Uint8Array[]> => {
  if (path === undefined) return [];
  try {
    return certificatesInPem(await readFile(path, "utf8"));
  } catch (error) {
    const reason = error instanceof Error ? error.message : "it can't be read";
    throw new ConfigError(`The variable ${variable} can't be used: ${reason}.`);
  }
};

const fromFile = async ({ p12Path, passphrase }: SigningCertificate): Promise<SigningIdentity> => {
  try {
    return await signingIdentityFromP12(await readFile(p12Path), passphrase);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "it can't be read";
    throw new ConfigError(`The variable SIGNING_CERTIFICATE_P12 can't be used: ${reason}.`);
  }
};
