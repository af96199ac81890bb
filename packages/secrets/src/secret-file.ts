import { link, readFile, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { Random } from "@rubrica/runtime";
import { syncFolder, writeDurably } from "@rubrica/runtime/durable";
import { SECRET_MIN_BYTES } from "./secrets.ts";

const FILE_NAME = "secret";
const NEW_SECRET_BYTES = 32;

/** What the file keeps is not a secret: it was damaged. The message is one sentence for the operator. */
export class SecretFileError extends Error {
  constructor(path: string) {
    super(`The file ${path} is damaged: restore it from a backup, or set SECRET to what it held.`);
    this.name = "SecretFileError";
  }
}

/**
 * The secret kept in the file `secret` of the data folder, made at its first use: readable by its owner only, durable
 * before this resolves, and one and the same for processes that start at once.
 *
 * The secret is the file's text (one line, its bytes in UTF-8), so that the line can be moved to the variable SECRET.
 * @throws {SecretFileError} when the file holds too little to be a secret. @throws {Error} when the folder does not exist.
 */
export const loadOrCreateSecret = async (dataDir: string, random: Random): Promise<Buffer> => {
  const path = join(dataDir, FILE_NAME);
  const found = await readSecret(path);
  if (!found) await createSecretFile(dataDir, path, random);
  // Also when another process made it: that one may not have come to this yet.
  await syncFolder(dataDir);
  return found ?? readExistingSecret(path);
};

/** Writes a whole file beside it and links it to its name: the name is taken once, and never names half a file. */
const createSecretFile = async (dataDir: string, path: string, random: Random): Promise<void> => {
  const temporaryPath = join(dataDir, `${FILE_NAME}.${random.bytes(8).toString("hex")}.tmp`);
  await writeDurably(temporaryPath, `${random.bytes(NEW_SECRET_BYTES).toString("base64url")}\n`);
  try {
    await link(temporaryPath, path);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  } finally {
    await unlink(temporaryPath);
  }
};

const readSecret = async (path: string): Promise<Buffer | undefined> => {
  try {
    return await readExistingSecret(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
};

const readExistingSecret = async (path: string): Promise<Buffer> => {
  const secret = Buffer.from((await readFile(path, "utf8")).trim(), "utf8");
  if (secret.length < SECRET_MIN_BYTES) throw new SecretFileError(path);
  return secret;
};

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined);
