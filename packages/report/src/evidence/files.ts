import type { FileReference } from "@rubrica/events";
import type { Images } from "@rubrica/images";
import { FileCorruptError, FileMissingError, type FileStore } from "@rubrica/storage";
import { LRUCache } from "lru-cache";
import type { FileEvidence, FileState, PictureEvidence, ReducedJpeg } from "./evidence.ts";

const CACHED_PICTURE_BYTES = 32 * 1024 * 1024;

/** A document's file: its bytes when they are what its hash says. */
export interface LookedAt extends FileEvidence {
  bytes: Buffer | null;
}

/** Looks at a document's files and makes pictures of photos. Pictures are kept by their file's hash, within 32 MB. */
export class EvidenceFiles {
  readonly #files: Pick<FileStore, "get">;
  readonly #images: Pick<Images, "reduced">;
  readonly #pictures = new LRUCache<string, ReducedJpeg>({
    maxSize: CACHED_PICTURE_BYTES,
    sizeCalculation: ({ jpeg }) => jpeg.length,
  });

  constructor(files: Pick<FileStore, "get">, images: Pick<Images, "reduced">) {
    this.#files = files;
    this.#images = images;
  }

  /** Reads a file, which checks it against its hash. Rejects when the file store can't be asked. */
  async look(documentId: string, { sha256, size, mediaType }: FileReference): Promise<LookedAt> {
    const found = (state: FileState, bytes: Buffer | null) => ({ sha256, size, mediaType, state, bytes });
    try {
      return found("intact", await this.#files.get(documentId, sha256));
    } catch (error) {
      if (error instanceof FileMissingError) return found("gone", null);
      if (error instanceof FileCorruptError) return found("altered", null);
      throw error;
    }
  }

  /** A picture that counts. The file is read each time: what was forgotten is not shown out of a cache. */
  async picture(documentId: string, file: FileReference): Promise<PictureEvidence> {
    const { bytes, ...evidence } = await this.look(documentId, file);
    return { ...evidence, picture: bytes && (await this.#pictureOf(documentId, file.sha256, bytes)) };
  }

  /** Evicts all pictures. */
  evict(): void {
    this.#pictures.clear();
  }

  async #pictureOf(documentId: string, sha256: string, bytes: Buffer): Promise<ReducedJpeg | null> {
    const known = this.#pictures.get(sha256);
    if (known) return known;
    const picture = await this.#images.reduced(bytes, `report:${documentId}`);
    if (picture) this.#pictures.set(sha256, picture);
    return picture ?? null;
  }
}
