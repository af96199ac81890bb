import { DocxRefused } from "../refused.ts";

const MB = 1024 * 1024;

/** How much one document may hold, all of its parts together: what office programs take in one piece. */
export class DocxBudget {
  #xmlBytes = 32 * MB;
  #elements = 1_000_000;
  #relationships = 20_000;
  #unpackedBytes = 64 * MB;

  /** XML that is about to be read. @throws {DocxRefused} */
  takeXml(bytes: number): void {
    this.#xmlBytes -= bytes;
    if (this.#xmlBytes < 0) throw new DocxRefused("too_large", "the file holds more than 32 MB of text");
  }

  /** @throws {DocxRefused} */
  takeElement(): void {
    if (--this.#elements < 0) throw tooComplex();
  }

  /** @throws {DocxRefused} */
  takeRelationship(): void {
    if (--this.#relationships < 0) throw tooComplex();
  }

  /** What pictures that are packed once more may still unpack to. */
  get unpackedBytes(): number {
    return this.#unpackedBytes;
  }

  /** What a picture unpacked to. */
  takeUnpacked(bytes: number): void {
    this.#unpackedBytes -= bytes;
  }
}

const tooComplex = (): DocxRefused => new DocxRefused("too_complex", "the file is too complex to be read");
