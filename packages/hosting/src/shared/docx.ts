import { accessSync, constants, statSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "@rubrica/config";
import { type DocxConverter, type DocxTemplates, openConverter, openDocxTemplates } from "@rubrica/docx";
import { lockDataFolder } from "@rubrica/open-engines/folder-lock";
import { type App, aborted } from "../app.ts";
import type { Host } from "../host.ts";

/** What bulk calls are prepared with. */
export interface Docx {
  templates: DocxTemplates;
  /** Undefined where no office program can be run; then `missing` says what to do. */
  converter: DocxConverter | undefined;
  missing: string | undefined;
  close(): Promise<void>;
}

const UNCONFINED =
  "the office program can read what this service can read: where bubblewrap (bwrap) is installed and works, it is confined to its own folder";

/** Conversions in flight are broken off when the process ends: they are taken up again at the next start. */
export const docxPart = (docx: Docx): App => ({
  async run(signal) {
    await aborted(signal);
    await docx.close();
  },
});

/**
 * Opens what this machine can prepare DOCX with, and logs which office program that is, or that there is none.
 * @param name of the folder that office programs work in, below the data folder.
 * @throws {ConfigError} when SOFFICE names no program. @throws {DataFolderError} when another process works in that folder.
 */
export const openDocx = async (
  { config, runtime, budget, logger }: Pick<Host, "config" | "runtime" | "budget" | "logger">,
  name = "office",
): Promise<Docx> => {
  const { dataDir, soffice, docxProcesses: processes } = config;
  const { clock, random } = runtime;
  if (soffice !== undefined) checkProgram(soffice);
  const lock = lockDataFolder(dataDir, name);
  const templates = openDocxTemplates({ clock, budget });
  const folder = join(dataDir, name);
  const opened = await openConverter({ clock, random, folder, soffice, ...(processes ? { processes } : {}) });
  const { converter } = opened;
  const missing = opened.converter ? undefined : opened.reason;
  if (opened.converter) {
    const { engine } = opened.converter;
    logger.info({ engine, confined: opened.isConfined }, "DOCX are converted by an office program");
    if (!opened.isConfined) logger.warn(UNCONFINED);
  } else logger.warn(missing);
  return {
    templates,
    converter,
    missing,
    async close() {
      await Promise.all([converter?.close(), templates.close()]);
      lock.close();
    },
  };
};

/**
 * A program that SOFFICE names is meant. Without this check, a wrong name would be found out by the first bulk call.
 */
const checkProgram = (soffice: string): void => {
  try {
    accessSync(soffice, constants.X_OK);
    if (statSync(soffice).isFile()) return;
  } catch {
    // Said below, whatever the reason.
  }
  throw new ConfigError("The variable SOFFICE can't be used: it names no program that this user can run.");
};
