import { ConfigError } from "@rubrica/config";
import { SecretFileError } from "@rubrica/secrets";
import { reasonOf, StoreFileError } from "@rubrica/storage/sqlite/failure";
import { DataFolderError } from "./data-folder.ts";
import { EngineUnreachable } from "./unreachable.ts";

type ErrorKind = abstract new (...given: never[]) => Error;

/** A program that ends with one of these says its message, which is a sentence for the operator. */
export const saidAtExit: readonly ErrorKind[] = [
  ConfigError,
  DataFolderError,
  EngineUnreachable,
  SecretFileError,
  StoreFileError,
];

const sentenceOf = (error: unknown, known: readonly ErrorKind[]): string | undefined => {
  if (!(error instanceof Error)) return undefined;
  if ([...saidAtExit, ...known].some((kind) => error instanceof kind)) return error.message;
  const reason = reasonOf(error);
  if (!reason) return undefined;
  const path = "path" in error && typeof error.path === "string" ? error.path : undefined;
  if (path !== undefined) return `${path} can't be used: ${reason.words}.`;
  // A write that fails for want of room names no file.
  return reason.failure === "disk_full"
    ? `A file can't be written: ${reason.words}: make room, or set DATA_DIR to another folder.`
    : undefined;
};

/**
 * What a program says of the error that it ends with: a sentence for one that is known, a line for any other, which
 * LOG_LEVEL=debug makes its whole stack.
 *
 * @param options.known further errors whose messages are sentences for the operator.
 */
export const exitMessage = (
  error: unknown,
  {
    known = [],
    environment,
  }: { known?: readonly ErrorKind[]; environment: Readonly<Record<string, string | undefined>> },
): string => {
  const sentence = sentenceOf(error, known);
  if (["debug", "trace"].includes(environment.LOG_LEVEL ?? "") && error instanceof Error && error.stack) {
    return sentence === undefined ? error.stack : `${sentence}\n${error.stack}`;
  }
  if (sentence !== undefined)
    return /[.!?]$|\n/.test(sentence) ? sentence : `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
  const what = error instanceof Error ? `${error.name}: ${error.message.split("\n")[0]}` : String(error);
  return `Something that was not foreseen went wrong (${what}); LOG_LEVEL=debug shows where.`;
};
