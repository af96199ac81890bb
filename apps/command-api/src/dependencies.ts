import type { Handlers } from "@rubrica/commands";
import type { FileStore } from "@rubrica/file-store";
import type { AccountDirectory } from "@rubrica/http";
import type { PdfEngine } from "@rubrica/pdf";
import type { Runtime } from "@rubrica/runtime";
import type { Secrets, SigningTokens } from "@rubrica/secrets";

export interface CommandApiLimits {
  /** Decoded. */
  documentBytes: number;
  signers: number;
  customParametersBytes: number;
  photoBytes: number;
}

/** What the command API works with; made at the composition root. */
export interface CommandApiDependencies {
  handlers: Handlers;
  files: FileStore;
  pdf: PdfEngine;
  directory: AccountDirectory;
  secrets: Secrets;
  tokens: SigningTokens;
  runtime: Runtime;
  limits: CommandApiLimits;
  /** Where the outside reaches the service, without a trailing slash. */
  publicUrl: string;
}
