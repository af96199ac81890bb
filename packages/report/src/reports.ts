import { BoundExceeded, createFairLimiter, type HelperBudget } from "@rubrica/helpers";
import type { Images } from "@rubrica/images";
import type { Journal } from "@rubrica/journal";
import type { SigningIdentity, Timestamps } from "@rubrica/pdf";
import type { Clock } from "@rubrica/runtime";
import type { FileStore, KnownLog } from "@rubrica/storage";
import { contentOf } from "./content/content.ts";
import { ActiveContents } from "./evidence/active-content.ts";
import { EvidenceFiles } from "./evidence/files.ts";
import { gatherEvidence } from "./evidence/gather.ts";
import { createRenderer } from "./render/render.ts";
import { spanish } from "./spanish.ts";

/** What reports are made of and with. */
export interface ReportDependencies {
  journal: Pick<Journal, "store" | "restore">;
  /** The newest signed head, and where streams had come to by heads, as is known apart from the events. */
  known: Pick<KnownLog, "end" | "head">;
  files: Pick<FileStore, "get">;
  images: Pick<Images, "reduced">;
  identity: SigningIdentity;
  /** Where timestamps come from; without it reports are sealed at B-B. */
  timestamps?: Timestamps | undefined;
  clock: Clock;
  /** Where anybody reaches the service, without a slash at the end. */
  publicUrl: string;
  /** Memory that is shared with other helpers. */
  budget?: HelperBudget;
}

/**
 * Reports at a time: twice as many as their helpers, since each waits for files and pictures meanwhile; no more, since what
 * is read for one lies in memory until it is set.
 */
const WIDTH = 4;
const QUEUE = { all: 120, ofOne: 60 };

/**
 * There is no report of the document: it has not ended, is not sealed yet, its events can't be read, or it would take
 * more time or memory than a report may.
 */
export class ReportUnavailable extends Error {
  constructor(options?: ErrorOptions) {
    super("there is no report of this document (yet)", options);
    this.name = "ReportUnavailable";
  }
}

/** Legal reports of documents. */
export interface Reports {
  /**
   * The report of a document that has ended, as a sealed PDF; made anew each time, from the document's events and files.
   * @param caller who it is made for: reports are shared fairly between callers
   * @throws {ReportUnavailable} @throws {HelpersBusy} when too many wait. @throws {CertificateRevoked} where timestamps
   * come with a look at the seal's certificate.
   */
  build(documentId: string, caller: string): Promise<Uint8Array>;
  /** Builds it as a trial, without asking anybody for a timestamp; tells its size in bytes. Throws what `build` throws. */
  rehearse(documentId: string, caller: string): Promise<number>;
  /** Evicts what is held of documents for the next report: pictures, and what their files hold. */
  evict(): void;
  close(): Promise<void>;
}

/** Makes legal reports; they are set in processes of their own. */
export const createReports = ({
  files,
  images,
  publicUrl,
  budget,
  timestamps,
  ...sources
}: ReportDependencies): Reports => {
  const { clock, identity } = sources;
  const renderer = createRenderer({ clock, budget });
  const limiter = createFairLimiter({ clock, name: "reports", width: WIDTH, queue: QUEUE });
  const rootUrl = identity.authority ? `${publicUrl}/pki/ca.crt` : null;
  const evidenceFiles = new EvidenceFiles(files, images);
  const activeContents = new ActiveContents(renderer.pdf);
  const make = async (documentId: string, caller: string, by: Timestamps | undefined): Promise<Uint8Array> => {
    const evidence = await gatherEvidence({ ...sources, files: evidenceFiles, activeContents, caller }, documentId);
    if (!evidence) throw new ReportUnavailable();
    const now = clock.now();
    const verifyUrl = verifyUrlOf(publicUrl, documentId, evidence.sealed?.sha256);
    const content = contentOf(evidence, { verifyUrl, rootUrl, now }, spanish);
    const named = { kind: "report", id: documentId } as const;
    const sealing = { identity, sealedAt: now, reason: spanish.title, named, ...(by ? { timestamps: by } : {}) };
    return renderer.render(content, sealing, caller);
  };
  const build = async (documentId: string, caller: string, by?: Timestamps): Promise<Uint8Array> => {
    try {
      return await limiter.run(() => make(documentId, caller, by), caller);
    } catch (error) {
      throw error instanceof BoundExceeded ? new ReportUnavailable({ cause: error }) : error;
    }
  };
  return {
    build: (documentId, caller) => build(documentId, caller, timestamps),
    rehearse: async (documentId, caller) => (await build(documentId, caller)).length,
    evict() {
      evidenceFiles.evict();
      activeContents.evict();
    },
    close: () => renderer.close(),
  };
};

/** The public page that verifies a document, told which one and which file. */
const verifyUrlOf = (publicUrl: string, documentId: string, sealedSha256: string | undefined): string => {
  const query = new URLSearchParams({ document: documentId, ...(sealedSha256 ? { sha256: sealedSha256 } : {}) });
  return `${publicUrl}/verify?${query}`;
};
