import type { DocxBudget } from "../package/budget.ts";
import { nameOf } from "../package/namespaces.ts";
import { textOfXml } from "../package/text.ts";
import { readXml, type XmlAttribute, type XmlElement, type XmlReader } from "../package/xml.ts";
import { type ChunkIndex, type WrittenAttribute, XmlWriter } from "../package/xml-writer.ts";
import { activeContent, outsideReference, unknownContent } from "../refused.ts";
import { checkField, Fields } from "./fields.ts";
import { Paragraph } from "./paragraph.ts";

/** A part written anew, and the relationships that it still refers to. */
export interface Markup {
  bytes: Buffer;
  references: ReadonlySet<string>;
}

/**
 * A part of markup, written anew from what was parsed: without what is not seen and could reach out or act.
 * @throws {DocxRefused} for what is seen, and is not taken.
 */
export const rewriteMarkup = (bytes: Buffer, budget: DocxBudget): Markup => {
  budget.takeXml(bytes.length);
  const rewriting = new Rewriting();
  readXml(textOfXml(bytes), rewriting, budget);
  return rewriting.finish();
};

/** Taken as they are, nothing of them would be seen. Of a picture's film, its picture stays. */
const DROPPED: ReadonlySet<string> = new Set([
  "word:attachedTemplate",
  "word:attachedSchema",
  "word:mailMerge",
  "word:saveThroughXslt",
  "word:objectEmbed",
  "chart:externalData",
  "drawing:audioCd",
  "drawing:audioFile",
  "drawing:quickTimeFile",
  "drawing:snd",
  "drawing:videoFile",
  "drawing:wavAudioFile",
  "web-video:webVideoPr",
]);

const REFUSED: ReadonlyMap<string, Error> = new Map([
  ["word:altChunk", unknownContent("another document (altChunk)")],
  ["word:control", activeContent("an ActiveX control")],
  ["word:movie", unknownContent("a film")],
  ["word:objectLink", outsideReference("an OLE link")],
  ["word:subDoc", outsideReference("a part of another document")],
]);

/** Texts of their own: a field does not go on from one into another. */
const STORIES: ReadonlySet<string> = new Set([
  "compatibility:Choice",
  "compatibility:Fallback",
  "word:comment",
  "word:endnote",
  "word:footnote",
  "word:txbxContent",
]);

/** What a reader may take for letters of a field's instruction. */
const LETTERS: ReadonlySet<string> = new Set([
  "word:br",
  "word:cr",
  "word:noBreakHyphen",
  "word:pgNum",
  "word:ptab",
  "word:softHyphen",
  "word:sym",
  "word:tab",
]);

const INSTRUCTIONS: ReadonlySet<string> = new Set(["word:delInstrText", "word:instrText"]);
const TEXTS: ReadonlySet<string> = new Set(["word:delText", "word:t"]);

/** Elements of VML that name a picture, and how they name one that lies elsewhere. */
const VML_PICTURES: ReadonlySet<string> = new Set(["vml:fill", "vml:image", "vml:imagedata", "vml:stroke"]);
const VML_ADDRESSES: ReadonlySet<string> = new Set([":src", "office:althref", "office:href"]);

const DROPPED_ATTRIBUTES: ReadonlySet<string> = new Set([
  "instance:noNamespaceSchemaLocation",
  "instance:schemaLocation",
  "xml:base",
]);

/** What a graphic frame may show; of anything else an office program shows nothing. */
const GRAPHICS =
  /\/(picture|chart|diagram|lockedCanvas|compatibility|wordprocessingShape|wordprocessingGroup|wordprocessingCanvas)$/;

/** An embedded object, of which the picture stays. */
interface EmbeddedObject {
  start: ChunkIndex;
  hasPicture: boolean;
  hasDrawing: boolean;
  declares: boolean;
}

class Rewriting implements XmlReader {
  readonly #writer = new XmlWriter();
  readonly #fields = new Fields(this.#writer);
  readonly #paragraph = new Paragraph();
  readonly #references = new Set<string>();
  readonly #objects: EmbeddedObject[] = [];
  /** Of the pictures around, whether each has raster bytes. */
  readonly #rasters: boolean[] = [];
  /** The names that elements were written by. */
  readonly #open: string[] = [];
  #skipped = 0;
  #choices = 0;
  #textOf = "";

  open(element: XmlElement): void {
    const name = nameOf(element);
    this.#textOf = name;
    const refusal = REFUSED.get(name);
    if (refusal && this.#skipped === 0) throw refusal;
    if (this.#skipped > 0 || this.#isDropped(name, element)) {
      this.#skipped++;
      return;
    }
    this.#enter(name, element);
    const tag = name === "word:object" ? pictureTag(element) : element.name;
    const chunk = this.#writer.open(tag, this.#attributes(name, element), element.isSelfClosing);
    this.#open.push(tag);
    if (name === "word:object") {
      const declares = Object.keys(element.ns).length > 0;
      this.#objects.push({ start: chunk, hasPicture: false, hasDrawing: false, declares });
    }
  }

  close(element: XmlElement): void {
    this.#textOf = "";
    if (this.#skipped > 0) {
      this.#skipped--;
      return;
    }
    const name = nameOf(element);
    const tag = this.#open.pop() ?? element.name;
    const end = element.isSelfClosing ? undefined : this.#writer.close(tag);
    if (STORIES.has(name)) this.#fields.leaveStory();
    if (name === "compatibility:Choice") this.#choices--;
    if (name === "drawing:blip") this.#rasters.pop();
    if (name === "word:object") this.#finishObject(end);
  }

  text(text: string): void {
    if (this.#skipped > 0) return;
    this.#paragraph.addText(text.length);
    const chunk = this.#writer.text(text);
    const isInstruction = INSTRUCTIONS.has(this.#textOf) || (TEXTS.has(this.#textOf) && this.#fields.isInInstruction);
    if (isInstruction) this.#fields.instruct(text, chunk);
  }

  finish(): Markup {
    this.#fields.leaveStory();
    return { bytes: this.#writer.toBuffer(), references: this.#references };
  }

  #isDropped(name: string, element: XmlElement): boolean {
    if (DROPPED.has(name)) return true;
    if (LETTERS.has(name)) return this.#fields.isInInstruction;
    if (name === "svg-blip:svgBlip") return this.#rasters.at(-1) === true;
    if (name !== "office:OLEObject") return false;
    if (namedValue(element, ":Type")?.trim().toLowerCase() === "link") throw outsideReference("an OLE link");
    return true;
  }

  /** Takes note of what an element means for what is in it, and for the whole. */
  #enter(name: string, element: XmlElement): void {
    if (STORIES.has(name)) this.#fields.enterStory();
    if (name === "compatibility:Choice") this.#choices++;
    if (name === "drawing:blip") this.#rasters.push(Boolean(namedValue(element, "relationships:embed")));
    if (name === "word:p") this.#paragraph.begin();
    if (name === "word:fldChar") {
      const mark = namedValue(element, "word:fldCharType") ?? "";
      if (mark === "begin") this.#paragraph.addField();
      this.#fields.mark(mark);
    }
    if (name === "word:fldSimple") {
      this.#paragraph.addField();
      this.#fields.nest();
      checkField(namedValue(element, "word:instr") ?? "");
    }
    this.#checkSeen(name, element);
    const object = this.#objects.at(-1);
    if (!object) return;
    object.hasPicture ||= name === "drawing:blip" || (name === "vml:imagedata" && refersToPart(element));
    object.hasDrawing ||= name === "word:drawing";
  }

  /** Another form of it may stand beside what is a choice. */
  #checkSeen(name: string, element: XmlElement): void {
    if (this.#choices > 0) return;
    if (name === "word:contentPart" || name === "word-2010:contentPart") throw unknownContent("a drawing in ink");
    if (name === "drawing:graphicData" && !GRAPHICS.test(namedValue(element, ":uri") ?? "")) {
      throw unknownContent("a drawing of an unknown kind");
    }
  }

  #attributes(name: string, element: XmlElement): WrittenAttribute[] {
    const written: WrittenAttribute[] = [];
    const isPicture = VML_PICTURES.has(name);
    for (const key in element.attributes) {
      const attribute = element.attributes[key] as XmlAttribute;
      const full = nameOf(attribute);
      if (DROPPED_ATTRIBUTES.has(full) || (name === "word:object" && !full.startsWith("xmlns:"))) continue;
      if (isPicture && VML_ADDRESSES.has(full)) {
        if (attribute.value.trim() !== "" && !refersToPart(element)) throw outsideReference("a picture");
        continue;
      }
      if (full.startsWith("relationships:") || full === "office:relid") this.#references.add(attribute.value.trim());
      written.push([attribute.name, attribute.value]);
    }
    return written;
  }

  #finishObject(end: ChunkIndex | undefined): void {
    const object = this.#objects.pop();
    if (!object) return;
    if (!object.hasPicture || (object.hasDrawing && object.declares)) {
      throw unknownContent("an embedded object without a picture");
    }
    const outer = this.#objects.at(-1);
    if (outer) outer.hasPicture = true;
    if (!object.hasDrawing) return;
    this.#writer.erase(object.start);
    if (end !== undefined) this.#writer.erase(end);
  }
}

const pictureTag = ({ prefix }: XmlElement): string => (prefix ? `${prefix}:pict` : "pict");

/** An attribute's value by its full name. */
const namedValue = (element: XmlElement, full: string): string | undefined => {
  for (const key in element.attributes) {
    const attribute = element.attributes[key] as XmlAttribute;
    if (nameOf(attribute) === full) return attribute.value;
  }
  return undefined;
};

const refersToPart = (element: XmlElement): boolean =>
  ["relationships:id", "relationships:pict", "office:relid"].some((full) => namedValue(element, full));
