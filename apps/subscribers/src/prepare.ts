import { type Handlers, stepOf } from "@rubrica/commands";
import { ConversionFailed, type DocxConverter, DocxRefused, type DocxTemplates, type Variables } from "@rubrica/docx";
import {
  failPreparation,
  PREPARATION_ATTEMPTS,
  type PreparingDocument,
  type PublishedObligation,
  prepareDocument,
} from "@rubrica/domain";
import { askedFor, type PdfEngine, PdfRefused } from "@rubrica/pdf";
import { FileMissingError, type FileStore, KeyDestroyedError } from "@rubrica/storage";
import { contextOf, LONG_WORK_MS, type Subscriber } from "./subscriber.ts";

/** Enough to keep the office processes at work while others are filled, inspected and stored; few are in memory. */
const CONCURRENCY = 6;

export interface PrepareDependencies {
  handlers: Handlers;
  files: FileStore;
  pdf: PdfEngine;
  templates: DocxTemplates;
  converter: DocxConverter;
}

/** A row can't be prepared. `isFinal`: trying again is of no use. */
class Unpreparable extends Error {
  readonly reason: string;
  readonly isFinal: boolean;

  constructor(reason: string, isFinal: boolean, cause?: unknown) {
    super(`the row was not prepared: ${reason}`, { cause });
    this.name = "Unpreparable";
    this.reason = reason;
    this.isFinal = isFinal;
  }
}

/** Fills a bulk row's template, turns it into PDF and lets the document be signed; what can't be made ends the document. */
export const prepareSubscriber = (dependencies: PrepareDependencies): Subscriber => {
  const { handlers } = dependencies;
  // Failed attempts by document, of rows that are tried again; after a restart they are counted anew.
  const failures = new Map<string, number>();

  const prepare = async (document: PreparingDocument, published: PublishedObligation): Promise<void> => {
    const { documentId } = document;
    const context = contextOf(published, "bulk");
    try {
      const prepared = await prepareFile(dependencies, document, `account:${published.accountId}`);
      await handlers.documents.handle(documentId, prepareDocument, prepared, stepOf(context, "prepared"));
      failures.delete(documentId);
    } catch (error) {
      if (!(error instanceof Unpreparable)) throw error;
      const attempts = (failures.get(documentId) ?? 0) + 1;
      if (!error.isFinal && attempts < PREPARATION_ATTEMPTS) {
        failures.set(documentId, attempts);
        throw error;
      }
      failures.delete(documentId);
      const failure = { reason: error.reason, attempts };
      await handlers.documents.handle(documentId, failPreparation, failure, stepOf(context, "failed"));
    }
  };

  return {
    kind: "prepare",
    concurrency: CONCURRENCY,
    longestMs: LONG_WORK_MS,
    async meet(published) {
      const document = await handlers.documents.load(published.documentId);
      if (document.status === "preparing") await prepare(document, published);
    },
  };
};

/** The row's PDF, durable, and fit for the signature's place. */
const prepareFile = async (
  { handlers, files, pdf, templates, converter }: PrepareDependencies,
  { documentId, bulk, texts, signers }: PreparingDocument,
  caller: string,
) => {
  if (!bulk || !texts?.variables) throw new Unpreparable("forgotten", true);
  const state = await handlers.bulks.load(bulk.bulkId);
  if (state.status === "none") throw new Unpreparable("bulk_unknown", true);
  try {
    const template = await files.get(bulk.bulkId, state.template.sha256);
    const { docx: filled } = await templates.fill(template, texts.variables as Variables, caller);
    const converted = await converter.convert(filled, caller);
    const asked = { ...askedFor(signers.map(({ placement }) => placement)), title: "" };
    const { bytes, faults, inspection } = await pdf.admitAndPlace(converted, asked, caller);
    if (faults.length > 0) throw new Unpreparable("signature_off_page", true);
    return {
      file: await files.put(documentId, bytes ?? converted, "application/pdf"),
      pageCount: inspection.pageCount,
    };
  } catch (error) {
    throw toUnpreparable(error);
  }
};

/** Of a conversion's failures, those that another attempt would not mend. */
const FINAL: ReadonlySet<string> = new Set(["unreadable", "too_large"]);

/** The error as Unpreparable where the row is at fault, or may be; else as it came: then the row is tried again without end. */
const toUnpreparable = (error: unknown): unknown => {
  if (error instanceof DocxRefused) {
    return new Unpreparable(`template_${error.reason}`, error.reason !== "too_complex", error);
  }
  if (error instanceof ConversionFailed && error.reason !== "closed") {
    return new Unpreparable(`conversion_${error.reason}`, FINAL.has(error.reason), error);
  }
  if (error instanceof PdfRefused)
    return new Unpreparable(`pdf_${error.reason}`, error.reason !== "too_complex", error);
  const isForgotten = error instanceof FileMissingError || error instanceof KeyDestroyedError;
  return isForgotten ? new Unpreparable("forgotten", true, error) : error;
};
