import type { Inspection } from "@rubrica/pdf-drawing/inspect";

/** What a file does by itself, or reaches out with, in readers that let it (ISO 32000-2, 12.6). */
export type ActiveContent =
  /** Scripts. */
  | "javascript"
  /** Programs, or files that the system opens. */
  | "launch"
  /** What happens when a file or a page is opened, printed or closed, and portfolios. */
  | "automatic_action"
  /** Forms that send what is filled in, or take data from a file. */
  | "data_exchange"
  /** Other files: links to them, and contents that lie in them. */
  | "other_file"
  /** Films, sounds and 3D artwork. */
  | "media"
  /** XFA forms, which some readers show instead of the pages. */
  | "dynamic_form"
  /** What is seen otherwise on paper, after a click, or by a setting of the reader. */
  | "shown_otherwise"
  /** Appearances for a pointer, annotations that are seen and not printed, and fields that a click may show otherwise. */
  | "momentary"
  /** Rights that a signature of another kind gives in one reader alone, which takes every change for a breach of it. */
  | "usage_rights";

/** A document that was taken. */
export interface Admission {
  /** The document as it was changed, to go on with; null: the one that was given. */
  bytes: Uint8Array | null;
  /** Describes the document to go on with. */
  inspection: Inspection;
  /** Active content that was left, since the document carries signatures. */
  active: readonly ActiveContent[];
  /** Active content that was taken out. */
  disarmed: readonly ActiveContent[];
}
