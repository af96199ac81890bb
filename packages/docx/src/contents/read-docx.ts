import { DocxBudget } from "../package/budget.ts";
import { readContentTypes, writeContentTypes } from "../package/content-types.ts";
import { PartNames, relationshipsOf, resolveTarget } from "../package/part-names.ts";
import { type Relationship, readRelationships, writeRelationships } from "../package/relationships.ts";
import { readZip } from "../package/zip.ts";
import { DocxRefused, damaged } from "../refused.ts";
import { isHyperlink, type Kind, kindOf, refusalOf, refusedOutside, subjectOf } from "./kinds.ts";
import { rewriteMarkup } from "./markup.ts";
import { readPicture } from "./pictures.ts";

/** A DOCX as it was read: written anew, with nothing in it but what was looked at. */
export interface DocxContents {
  /** By name; the package's own parts among them. */
  parts: ReadonlyMap<string, Buffer>;
  /** The names of the parts that hold endnotes. */
  endnotes: readonly string[];
}

/** First bytes of an OLE2 file: an old .doc, or a .docx that is protected with a password. */
const OLE2_MAGIC = Buffer.from("d0cf11e0a1b11ae1", "hex");

/** Content types of a main part: document or template; those for macros too, which may hold none. */
const MAIN_CONTENT_TYPE =
  /^application\/vnd\.(openxmlformats-officedocument\.wordprocessingml\.(document|template)|ms-word\.(document\.macroenabled|template\.macroenabledtemplate))\.main\+xml$/;

const CONTENT_TYPES = "[Content_Types].xml";

/** What a reader clicks. Others would lead to this machine's disk, or act. */
const LINK = /^(#|(https?|mailto|tel|sms|ftps?):)/i;
const MAX_LINK_LENGTH = 8_192;

const notDocx = (): DocxRefused => new DocxRefused("not_docx", "the file is no DOCX");

/**
 * Reads a DOCX by its relationships, from the main part on: what nothing leads to, and what nothing is seen of, is left
 * out; all else is checked and written anew, so that whoever reads it next can read nothing else.
 * @throws {DocxRefused}
 */
export const readDocx = (docx: Uint8Array): DocxContents => {
  if (OLE2_MAGIC.equals(docx.subarray(0, OLE2_MAGIC.length))) {
    throw new DocxRefused("encrypted", "the file is protected with a password, or an old .doc");
  }
  if (docx[0] !== 0x50 || docx[1] !== 0x4b) throw notDocx();
  return new Reading(readZip(docx)).read();
};

class Reading {
  readonly #given: ReadonlyMap<string, Buffer>;
  readonly #names: PartNames;
  readonly #budget = new DocxBudget();
  readonly #written = new Map<string, Buffer>();
  readonly #types = new Map<string, string>();
  /** Parts that were come to, by their given names: as what, and what they are called now. */
  readonly #met = new Map<string, { kind: Kind; name: string | undefined }>();
  readonly #relationships = new Map<string, Relationship[]>();

  constructor(given: ReadonlyMap<string, Buffer>) {
    this.#given = given;
    this.#names = new PartNames(given.keys());
  }

  read(): DocxContents {
    const main = this.#findMain();
    this.#readAllRelationships();
    this.#writeRelationships("", "", undefined);
    if (!this.#met.has(main)) throw notDocx();
    const endnotes = [...this.#met.values()].flatMap(({ kind, name }) => (kind.isEndnotes && name ? [name] : []));
    const parts = new Map([[CONTENT_TYPES, writeContentTypes(this.#types)], ...this.#written]);
    return { parts, endnotes };
  }

  /** The one main part. @throws {DocxRefused} where it is no document's. */
  #findMain(): string {
    const types = this.#names.find(CONTENT_TYPES);
    const own = this.#names.find(relationshipsOf(""));
    if (types === undefined || own === undefined) throw notDocx();
    const mains = this.#read(own).filter(({ type, isExternal }) => subjectOf(type) === "officedocument" && !isExternal);
    const [main, ...others] = mains.map(({ target }) => this.#names.find(resolveTarget("", target)));
    if (main === undefined || others.length > 0) throw notDocx();
    const type = readContentTypes(this.#bytes(types), this.#budget).of(main);
    if (type === undefined || !MAIN_CONTENT_TYPE.test(type)) throw notDocx();
    return main;
  }

  /** All that there are, also of parts that nothing leads to: what refers to the outside anywhere is refused. */
  #readAllRelationships(): void {
    for (const name of this.#given.keys()) {
      if (!/(^|\/)_rels\/[^/]*\.rels$/i.test(name)) continue;
      const relationships = this.#read(name);
      for (const relationship of relationships) check(relationship);
      this.#relationships.set(name, relationships);
    }
  }

  #read(name: string): Relationship[] {
    const bytes = this.#bytes(name);
    this.#budget.takeXml(bytes.length);
    return readRelationships(bytes, this.#budget);
  }

  #bytes(name: string): Buffer {
    const bytes = this.#given.get(name);
    if (!bytes) throw damaged("a part is missing");
    return bytes;
  }

  /** Takes over the part that a relationship leads to. @returns its name now; undefined where nothing of it is seen. */
  #take(part: string, kind: Kind): string | undefined {
    const met = this.#met.get(part);
    if (met) {
      if (met.kind !== kind) throw damaged("a part is said to be two things");
      return met.name;
    }
    const entry = { kind, name: this.#nameOf(part) as string | undefined };
    this.#met.set(part, entry);
    entry.name = this.#write(part, kind, entry.name ?? "");
    return entry.name;
  }

  #write(part: string, kind: Kind, name: string): string | undefined {
    const bytes = this.#bytes(part);
    if (kind.treatment === "picture") {
      const picture = readPicture(bytes, this.#budget);
      if (picture) this.#put(name, picture.bytes, picture.contentType);
      return picture && name;
    }
    if (kind.treatment === "font") {
      this.#put(name, bytes, kind.contentType);
      return name;
    }
    // An empty part is left out, as if nothing led to it.
    if (bytes.length === 0) return undefined;
    const markup = rewriteMarkup(bytes, this.#budget);
    this.#put(name, markup.bytes, kind.contentType);
    this.#writeRelationships(part, name, markup.references);
    return name;
  }

  #put(name: string, bytes: Buffer, contentType: string): void {
    this.#written.set(name, bytes);
    this.#types.set(name, contentType);
  }

  /** A name that means the same to every reader. */
  #nameOf(part: string): string {
    if (/^[\w.-]+(\/[\w.-]+)*$/.test(part) && part !== CONTENT_TYPES) return part;
    return `parts/part${this.#met.size}${/\.\w{1,5}$/.exec(part)?.[0] ?? ""}`;
  }

  /** Writes a part's relationships, and the parts that they lead to. */
  #writeRelationships(part: string, name: string, references: ReadonlySet<string> | undefined): void {
    const given = this.#names.find(relationshipsOf(part));
    const relationships = (given && this.#relationships.get(given)) || [];
    const kept = relationships.flatMap((relationship) => this.#keep(part, relationship, references) ?? []);
    if (kept.length > 0) this.#written.set(relationshipsOf(name), writeRelationships(kept));
  }

  /** A relationship as it is written; undefined where nothing of it is seen. */
  #keep(
    source: string,
    relationship: Relationship,
    references: ReadonlySet<string> | undefined,
  ): Relationship | undefined {
    const { id, type, target } = relationship;
    if (isHyperlink(type)) return LINK.test(target) && target.length <= MAX_LINK_LENGTH ? relationship : undefined;
    const kind = kindOf(type);
    if (!kind || relationship.isExternal) return undefined;
    // Of what only something left out refers to, nothing is seen.
    if (kind.treatment !== "markup" && references && !references.has(id)) return undefined;
    const part = this.#names.find(resolveTarget(source, target));
    const name = part === undefined ? undefined : this.#take(part, kind);
    return name === undefined ? undefined : { id, type, target: `/${name}`, isExternal: false };
  }
}

/** @throws {DocxRefused} for what leads out of the file, but for hyperlinks and the template it was made from. */
const check = ({ type, target, isExternal }: Relationship): void => {
  const refusal = refusalOf(type);
  if (refusal && !isExternal) throw refusal;
  const leadsOut = (isExternal || ADDRESS.test(target)) && !NO_TARGET.test(target);
  if (leadsOut && !isHyperlink(type) && subjectOf(type) !== "attachedtemplate") throw refusedOutside(type);
};

/** A target that is no path within the package. */
const ADDRESS = /^([a-z][a-z0-9+.-]*:|\/\/|\\)/i;
/** What programs write for a target that they lost. */
const NO_TARGET = /^(NULL)?$/;
