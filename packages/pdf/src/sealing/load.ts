import { createPrivateKey, X509Certificate } from "node:crypto";
import { mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock, Random } from "@rubrica/runtime";
import { syncFolder, writeDurably } from "@rubrica/runtime/durable";
import { type Certified, newAuthority, newSealCertificate, publishedBy } from "./authority.ts";
import { identityFrom, type SigningIdentity } from "./identity.ts";

const RENEWED_BEFORE_MS = 365 * 24 * 60 * 60 * 1_000;
const OWNER_ONLY_FOLDER = 0o700;

/**
 * The service's own signing identity, kept in `{dataDir}/pki`: made at the first start, durably and all
 * or nothing; its private keys are readable by the owner only. The seal's certificate is issued anew
 * when less than a year of it is left, or when `publicUrl`, which it names, has changed.
 *
 * @param publicUrl without a slash at its end
 */
export const loadOrCreateSigningIdentity = async (
  dataDir: string,
  publicUrl: string,
  clock: Clock,
  random: Random,
): Promise<SigningIdentity> => {
  await mkdir(dataDir, { recursive: true, mode: OWNER_ONLY_FOLDER });
  const authorityDir = join(dataDir, "pki", "authority");
  const sealDir = join(dataDir, "pki", "seal");
  await mkdir(join(dataDir, "pki"), { recursive: true, mode: OWNER_ONLY_FOLDER });
  const authority = (await load(authorityDir)) ?? (await keep(dataDir, authorityDir, newAuthority(clock, random)));
  let seal = await load(sealDir);
  if (seal !== undefined && !isCurrent(seal, publicUrl, clock)) {
    await rename(sealDir, `${sealDir}-until-${clock.now()}`);
    seal = undefined;
  }
  seal ??= await keep(dataDir, sealDir, newSealCertificate(authority, publicUrl, clock, random));
  return identityFrom(seal.key, seal.certificate, [authority.certificate], publishedBy(authority, clock));
};

const isCurrent = ({ certificate }: Certified, publicUrl: string, clock: Clock): boolean => {
  const parsed = new X509Certificate(certificate);
  const names = parsed.infoAccess?.includes(`URI:${publicUrl}/pki/ca.crt`) === true;
  return names && parsed.validToDate.getTime() - clock.now() > RENEWED_BEFORE_MS;
};

const load = async (directory: string): Promise<Certified | undefined> => {
  try {
    const key = createPrivateKey(await readFile(join(directory, "key.pem"), "utf8"));
    return {
      key,
      certificate: new Uint8Array(new X509Certificate(await readFile(join(directory, "certificate.pem"))).raw),
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
};

/** Writes both files to a folder of their own, then moves it into place; whoever comes second takes the first's. */
const keep = async (dataDir: string, directory: string, made: Certified): Promise<Certified> => {
  const temporary = await mkdtemp(join(dataDir, "pki", "new-"));
  await writeDurably(join(temporary, "key.pem"), made.key.export({ format: "pem", type: "pkcs8" }).toString());
  await writeDurably(join(temporary, "certificate.pem"), new X509Certificate(made.certificate).toString());
  await syncFolder(temporary);
  try {
    await rename(temporary, directory);
  } catch (error) {
    const existing = await load(directory);
    if (existing === undefined) throw error;
    await rm(temporary, { recursive: true });
    return existing;
  }
  await syncFolder(join(dataDir, "pki"));
  await syncFolder(dataDir);
  return made;
};
