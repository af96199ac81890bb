import type { XmlElement } from "./xml.ts";

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

const REFERENCES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\t": "&#9;",
  "\n": "&#10;",
  "\r": "&#13;",
};

const reference = (character: string): string => REFERENCES[character] ?? character;

/** Text between tags. */
const escapeText = (text: string): string => (/[&<>\r]/.test(text) ? text.replace(/[&<>\r]/g, reference) : text);

/** A value between double quotes. */
const escapeValue = (value: string): string =>
  /[&<>"\t\n\r]/.test(value) ? value.replace(/[&<>"\t\n\r]/g, reference) : value;

export type WrittenAttribute = readonly [name: string, value: string];

/** Which chunk of what was written, to be filled in later. */
export type ChunkIndex = number;

/** Writes XML in the one way that all readers read alike. */
export class XmlWriter {
  readonly #chunks: string[] = [DECLARATION];

  open(name: string, attributes: readonly WrittenAttribute[], isEmpty: boolean): ChunkIndex {
    let tag = `<${name}`;
    for (const [key, value] of attributes) tag += ` ${key}="${escapeValue(value)}"`;
    return this.#write(isEmpty ? `${tag}/>` : `${tag}>`);
  }

  close(name: string): ChunkIndex {
    return this.#write(`</${name}>`);
  }

  text(text: string): ChunkIndex {
    return this.#write(escapeText(text));
  }

  /** Puts other text in a chunk of text. */
  replaceText(chunk: ChunkIndex, text: string): void {
    this.#chunks[chunk] = escapeText(text);
  }

  /** Takes away what was written in a chunk. */
  erase(chunk: ChunkIndex): void {
    this.#chunks[chunk] = "";
  }

  toBuffer(): Buffer {
    return Buffer.from(this.#chunks.join(""));
  }

  #write(chunk: string): ChunkIndex {
    return this.#chunks.push(chunk) - 1;
  }
}

/** An element's attributes as they were given, namespace declarations among them. */
export const attributesOf = (element: XmlElement): WrittenAttribute[] =>
  Object.values(element.attributes).map(({ name, value }) => [name, value]);
