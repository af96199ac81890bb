import { X509Certificate } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ConfigError, type SigningCertificate } from "@rubrica/config";
import { DataFolderError } from "@rubrica/engines";
import {
  type CertificateAuthority,
  loadOrCreateSigningIdentity,
  type SigningIdentity,
  signingIdentityFromP12,
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
}

/** What of a host decides with what is sealed. */
export interface SigningSurroundings extends Pick<Host, "publicUrl" | "runtime"> {
  config: Pick<Host["config"], "dataDir" | "signingCertificate">;
}

/**
 * The certificate that the environment names, else the service's own, made at the first start.
 * @throws {ConfigError} when the certificate that is named can't be used. @throws {DataFolderError} when the own one can't.
 */
export const openSigning = async ({
  config: { dataDir, signingCertificate },
  publicUrl,
  runtime: { clock, random },
}: SigningSurroundings): Promise<Signing> => {
  const own = async () => {
    try {
      return await loadOrCreateSigningIdentity(dataDir, publicUrl, clock, random);
    } catch (error) {
      // What the disk says is said of it; anything else is what lies there.
      if (error instanceof Error && "syscall" in error) throw error;
      throw new DataFolderError(`The folder ${join(dataDir, "pki")} is damaged: restore it from a backup.`, error);
    }
  };
  if (!signingCertificate) {
    const identity = await own();
    return { identity, authority: identity.authority, roots: rootsOf(identity) };
  }
  const identity = await fromFile(signingCertificate);
  const former = existsSync(join(dataDir, "pki", "authority")) ? await own() : undefined;
  return {
    identity,
    authority: former?.authority ?? null,
    // Of a certificate from elsewhere, itself: its authority issues others to anybody.
    roots: [identity.certificate, ...(former ? rootsOf(former) : [])],
  };
};

/** Tells how long the certificate that seals is still good for. */
export const signingPart = ({ identity }: Pick<Signing, "identity">, { clock }: Pick<Runtime, "clock">): App => {
  const endsMs = Date.parse(new X509Certificate(identity.certificate).validTo);
  return { measurements: { certificateSeconds: async () => [{ value: (endsMs - clock.now()) / 1_000 }] } };
};

/** The own authority: it issues certificates to this service alone. */
const rootsOf = ({ authority }: SigningIdentity): Uint8Array[] => (authority ? [authority.certificate] : []);

const fromFile = async ({ p12Path, passphrase }: SigningCertificate): Promise<SigningIdentity> => {
  try {
    return await signingIdentityFromP12(await readFile(p12Path), passphrase);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "it can't be read";
    throw new ConfigError(`The variable SIGNING_CERTIFICATE_P12 can't be used: ${reason}.`);
  }
};
