import type { Placement } from "@rubrica/events";
import { pageIndexesOf } from "@rubrica/pdf-drawing/placement";
import { appearancesOf, drawStamps, type LaidOut, mayShowFields } from "@rubrica/pdf-drawing/stamping/stamp";
import type { OpenDocument } from "@rubrica/pdf-reading/open";
import { PdfRefused } from "@rubrica/pdf-reading/refused";
import { Revision } from "@rubrica/pdf-reading/revision";
import { addSignatureField } from "./field.ts";

/** What a revision may take beside its stamps: catalogs and forms that are written anew, with all that stands in them. */
const LEAST_GROWTH_BYTES = 2 * 1024 * 1024;
/** By what a file may grow for each of its own bytes: what is written anew may have been compressed. */
const MAX_EXPANSION = 4;
/** What a seal may take. */
const SEAL_BYTES = 64 * 1024;
/** What a page that is stamped may take: its dictionary, resources and annotations are written anew. */
const PAGE_BYTES = 1_024;
/** What a seal takes with its certificates and timestamps is the same for each document. */
const CONTENTS_BYTES = 16 * 1024;

/**
 * Tries stamping and sealing out: all stamps at their places, without drawings and texts, which are bounded by
 * themselves. Throws `PdfRefused`: `grows_too_far` when more is appended than such stamps account for.
 * @param givenBytes of the file as it was given, before it was mended
 */
export const rehearse = (document: OpenDocument, givenBytes: number, placements: readonly Placement[]): void => {
  const isSigned = document.signatures.length > 0;
  const mended = document.file.bytes.length - givenBytes;
  const stamped = new Set(placements.flatMap(({ pages }) => pageIndexesOf(pages, document.pages.length))).size;
  // In a signed document each stamp comes with a seal of its own, and each seal writes as much as the first.
  const seals = isSigned ? Math.max(1, placements.length) : 1;
  const most = LEAST_GROWTH_BYTES + MAX_EXPANSION * givenBytes + seals * (SEAL_BYTES + stamped * PAGE_BYTES);
  const largest = placements.find(({ pages }) => pages === "all") ?? placements[0];
  const growth = isSigned && largest ? seals * growthBy(document, [largest]) : growthBy(document, placements);
  if (mended + growth > most) throw new PdfRefused("grows_too_far");
};

/** How many bytes a revision with some stamps and a seal appends. */
const growthBy = (document: OpenDocument, placements: readonly Placement[]): number => {
  const revision = new Revision(document.file);
  const boxes = placements.map((placement) => outline(revision, placement));
  const [first] = boxes;
  const isSigned = document.signatures.length > 0;
  const appearances =
    isSigned && first !== undefined && mayShowFields(document) ? appearancesOf(document, revision, first) : [];
  if (!isSigned) drawStamps(document, revision, boxes);
  addSignatureField(
    document,
    revision,
    { type: "Sig", subFilter: "ETSI.CAdES.detached", claimedAt: 0, reason: null },
    CONTENTS_BYTES,
    appearances,
  );
  return revision.write().added.length;
};

/** A stamp with nothing on it. */
const outline = ({ context }: Revision, placement: Placement): LaidOut => {
  const image = context.register(context.obj({}));
  return { placement, box: { content: "", image }, fonts: new Map() };
};
