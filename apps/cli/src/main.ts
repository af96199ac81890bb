// `npm run rubrica`: the operator's command line.
import { once } from "node:events";
import { ConfigError } from "@rubrica/config";
import { DomainError } from "@rubrica/domain";
import { DataFolderError } from "@rubrica/engines";
import { systemRuntime } from "@rubrica/runtime";
import { BrokenChainError } from "./audit.ts";
import { createProgram } from "./program.ts";

// What is kept is its owner's alone.
process.umask(0o077);

const known = [ConfigError, DataFolderError, DomainError, BrokenChainError];

/** Waits for a slow reader, so that a long export is not held in memory. */
const print = async (text: string): Promise<void> => {
  if (!process.stdout.write(`${text}\n`)) await once(process.stdout, "drain");
};

// A reader that has seen enough (`| head`) is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

try {
  await createProgram({ environment: process.env, runtime: systemRuntime(), print }).parseAsync();
} catch (error) {
  if (!(error instanceof Error) || !known.some((kind) => error instanceof kind)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
