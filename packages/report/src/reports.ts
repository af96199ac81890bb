import type { FileStore } from "@rubrica/file-store";
import type { Journal } from "@rubrica/journal";
import type { PdfEngine, SigningIdentity } from "@rubrica/pdf";
import type { Clock } from "@rubrica/runtime";
import { contentOf } from "./content/content.ts";
import { EvidenceFiles } from "./evidence/files.ts";
import { gatherEvidence } from "./evidence/gather.ts";
import { createRenderer } from "./render/renderer.ts";
import { spanish } from "./spanish.ts";

/** What reports are made of and with. */
export interface ReportDependencies {
  journal: Pick<Journal, "store" | "restore">;
  files: Pick<FileStore, "get">;
  pdf: Pick<PdfEngine, "seal">;
  identity: SigningIdentity;
  clock: Clock;
  /** Where anybody reaches the service, without a slash at the end. */
  publicUrl: string;
}

/** There is no report of the document: it has not ended, is not sealed yet, or its events can't be read. */
export class ReportUnavailable extends Error {
  constructor() {
    super("there is no report of this document (yet)");
    this.name = "ReportUnavailable";
  }
}

/** Legal reports of documents. */
export interface Reports {
  /**
   * The report of a document that has ended, as a sealed PDF; made anew each time, from the document's events and files.
   * @throws {ReportUnavailable}
   */
  build(documentId: string): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Makes legal reports; rendering has a thread of its own, which is started at once. */
export const createReports = ({ files, publicUrl, pdf, ...sources }: ReportDependencies): Reports => {
  const { clock, identity } = sources;
  const renderer = createRenderer(clock);
  const rootUrl = identity.authority ? `${publicUrl}/pki/ca.crt` : null;
  const evidenceFiles = new EvidenceFiles(files);
  return {
    async build(documentId) {
      const evidence = await gatherEvidence({ ...sources, files: evidenceFiles }, documentId);
      if (!evidence) throw new ReportUnavailable();
      const now = clock.now();
      const verifyUrl = verifyUrlOf(publicUrl, documentId, evidence.sealed?.sha256);
      const report = await renderer.render(contentOf(evidence, { verifyUrl, rootUrl, now }, spanish));
      const { bytes } = await pdf.seal(report, { identity, sealedAt: now, reason: spanish.title });
      return bytes;
    },
    close: () => renderer.close(),
  };
};

/** The public page that verifies a document, told which one and which file. */
const verifyUrlOf = (publicUrl: string, documentId: string, sealedSha256: string | undefined): string => {
  const query = new URLSearchParams({ document: documentId, ...(sealedSha256 ? { sha256: sealedSha256 } : {}) });
  return `${publicUrl}/verify?${query}`;
};
