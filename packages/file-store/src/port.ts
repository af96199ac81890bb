/** A file as events name it: SHA-256 (lower-case hex) and size of its plain bytes. */
export interface FileReference {
  sha256: string;
  size: number;
  mediaType: string;
}

/**
 * Files, addressed by their plain bytes' SHA-256 within an owner, encrypted with the owner's key (AES-256-GCM).
 * An owner is the id whose key encrypts: a document's or a bulk call's.
 */
export interface FileStore {
  /**
   * Stores the bytes, durable before it resolves. Storing the same bytes again changes nothing.
   * @throws {FileTooLargeError} when there are more bytes than the engine was set to take.
   * @throws {KeyDestroyedError} when the owner's key was destroyed.
   */
  put(owner: string, bytes: Uint8Array, mediaType: string): Promise<FileReference>;
  /**
   * The plain bytes, checked against their hash.
   * @throws {FileMissingError} when the file does not exist or its owner's key was destroyed.
   * @throws {FileCorruptError} when what is stored is not what was put.
   */
  get(owner: string, sha256: string): Promise<Buffer>;
  close(): Promise<void>;
}

export class FileMissingError extends Error {
  constructor() {
    super("the file does not exist or its key was destroyed");
    this.name = "FileMissingError";
  }
}

export class FileCorruptError extends Error {
  constructor() {
    super("the stored file is not what was put");
    this.name = "FileCorruptError";
  }
}

/** More bytes than a file may hold. */
export class FileTooLargeError extends Error {
  readonly maxSizeBytes: number;

  constructor(maxSizeBytes: number) {
    super(`a file may hold at most ${maxSizeBytes} bytes`);
    this.name = "FileTooLargeError";
    this.maxSizeBytes = maxSizeBytes;
  }
}
