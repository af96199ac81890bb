import { join } from "node:path";
import type { Config } from "@rubrica/config";
import { type DocxConverter, type DocxTemplates, openConverter, openDocxTemplates } from "@rubrica/docx";
import type { Runtime } from "@rubrica/runtime";
import type { FastifyBaseLogger } from "fastify";

/** What bulk calls are prepared with. */
export interface Docx {
  templates: DocxTemplates;
  /** Undefined where no office program can be run; then `missing` says what to do. */
  converter: DocxConverter | undefined;
  missing: string | undefined;
  close(): Promise<void>;
}

/** Opens what this machine can prepare DOCX with, and logs which office program that is, or that there is none. */
export const openDocx = async (
  { dataDir, soffice, docxProcesses: processes }: Config,
  { clock, random }: Runtime,
  logger: FastifyBaseLogger,
): Promise<Docx> => {
  const templates = openDocxTemplates({ clock });
  const folder = join(dataDir, "office");
  const opened = await openConverter({ clock, random, folder, soffice, ...(processes ? { processes } : {}) });
  const { converter } = opened;
  const missing = opened.converter ? undefined : opened.reason;
  if (converter) logger.info({ engine: converter.engine }, "DOCX are converted by an office program");
  else logger.warn(missing);
  return {
    templates,
    converter,
    missing,
    async close() {
      await Promise.all([converter?.close(), templates.close()]);
    },
  };
};
