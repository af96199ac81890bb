/** What a report says, before it has a shape. Plain data: it goes to the worker that sets it. */

export type Face = "regular" | "bold" | "monospaced";
export type Tone = "ink" | "muted" | "accent" | "good" | "bad";

/** A piece of text in one style. What is left out is the surrounding's. */
export interface Span {
  text: string;
  face?: Face;
  tone?: Tone;
  /** In points. */
  size?: number;
  link?: string;
}

/** One paragraph. */
export type Text = string | readonly Span[];

/** A JPEG. Sizes in pixels. */
export interface Image {
  jpeg: Uint8Array;
  width: number;
  height: number;
}

export interface Field {
  label: string;
  /** One paragraph each. */
  value: readonly Text[];
}

export interface Column {
  title: string;
  /** In points; the columns without one share what is left. */
  width?: number;
}

export type Block =
  | { kind: "opening"; title: string; lines: readonly Text[]; qr: { url: string; caption: string } }
  | { kind: "banner"; tone: Tone; title: string; sentence: string }
  | { kind: "section"; title: string }
  | { kind: "subsection"; title: string; note: Text; topic?: boolean }
  | { kind: "label"; title: string }
  | { kind: "paragraph"; text: Text; tone?: Tone }
  | { kind: "fields"; fields: readonly Field[] }
  | { kind: "table"; columns: readonly Column[]; rows: readonly (readonly (readonly Text[])[])[] }
  /** Side by side, four in a row. `image` is null where there is none to be shown. */
  | { kind: "pictures"; pictures: readonly { image: Image | null; missing: string; caption: readonly Text[] }[] }
  | { kind: "steps"; steps: readonly { text: Text; commands: readonly string[] }[] };

/** A file inside the PDF. */
export interface Attachment {
  name: string;
  bytes: Uint8Array;
  mediaType: string;
  description: string;
}

/** A whole report, ready to be set. */
export interface Content {
  /** BCP 47. */
  language: string;
  title: string;
  subject: string;
  /** Milliseconds since the UNIX epoch. */
  createdAt: number;
  footer: { left: string; page: string };
  /** Stands on top of each page; null for none. */
  notice: string | null;
  blocks: readonly Block[];
  attachments: readonly Attachment[];
}
