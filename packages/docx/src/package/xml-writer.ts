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

/** A place in what was written that may be filled in later. */
export type Place = number;

/** Writes XML in the one way that all readers read alike. */
export class XmlWriter {
  readonly #chunks: string[] = [DECLARATION];

  open(name: string, attributes: readonly WrittenAttribute[], isEmpty: boolean): Place {
    let tag = `<${name}`;
    for (const [key, value] of attributes) tag += ` ${key}="${escapeValue(value)}"`;
    return this.#write(isEmpty ? `${tag}/>` : `${tag}>`);
  }

  close(name: string): Place {
    return this.#write(`</${name}>`);
  }

  text(text: string): Place {
    return this.#write(escapeText(text));
  }

  /** Puts other text in a place of text. */
  replaceText(place: Place, text: string): void {
    this.#chunks[place] = escapeText(text);
  }

  /** Takes away what was written in a place. */
  erase(place: Place): void {
    this.#chunks[place] = "";
  }

  toBuffer(): Buffer {
    return Buffer.from(this.#chunks.join(""));
  }

  #write(chunk: string): Place {
    return this.#chunks.push(chunk) - 1;
  }
}

/** An element's attributes as they were given, namespace declarations among them. */
export const attributesOf = (element: XmlElement): WrittenAttribute[] =>
  Object.values(element.attributes).map(({ name, value }) => [name, value]);
