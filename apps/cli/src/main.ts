// `npm run rubrica`: the operator's command line.
import { once } from "node:events";
import { DomainError } from "@rubrica/domain";
import { UnreadableStreamError } from "@rubrica/journal";
import { exitMessage } from "@rubrica/open-engines";
import { systemRuntime } from "@rubrica/runtime";
import { AnalyticsError } from "./analytics.ts";
import { ExportError } from "./audit-export.ts";
import { HeadFileError } from "./audit-heads.ts";
import { AuditError } from "./audit-verify.ts";
import { MigrationError } from "./migration/migration-error.ts";
import { createProgram } from "./program.ts";
import { VerifyError } from "./verify.ts";
import { TemplatesRefused } from "./whatsapp.ts";

// What is kept is its owner's alone.
process.umask(0o077);

/** Waits for a slow reader, so that a long export is not held in memory. */
const print = async (text: string): Promise<void> => {
  if (!process.stdout.write(`${text}\n`)) await once(process.stdout, "drain");
};

// A reader that has seen enough (`| head`) is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  console.error(`The output can't be written: ${error.message}.`);
  process.exit(1);
});

try {
  await createProgram({ environment: process.env, runtime: systemRuntime(), print }).parseAsync();
} catch (error) {
  console.error(
    exitMessage(error, {
      known: [
        DomainError,
        AnalyticsError,
        AuditError,
        HeadFileError,
        ExportError,
        MigrationError,
        TemplatesRefused,
        UnreadableStreamError,
        VerifyError,
      ],
      environment: process.env,
    }),
  );
  process.exitCode = 1;
}
