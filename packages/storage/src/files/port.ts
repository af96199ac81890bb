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
  /** Removes all files of the owner, whether or not there is a key to read them. Repeatable. */
  removeAll(owner: string): Promise<void>;
  /**
   * Up to where in the event log erasures were carried out here, as it was noted last; restored with the files that it
   * tells of. Opaque.
   */
  erasuresDone(): Promise<string | undefined>;
  /** Notes it. Lost with the power it is carried out once more. */
  noteErasuresDone(upTo: string): Promise<void>;
  /**
   * The names of all files as the engine keeps them, for copying the store to another engine: each once, in ascending
   * order. They tell neither whose file it is nor what is in it. One that is put or removed meanwhile may or may not be
   * among them.
   */
  encryptedNames(): AsyncIterable<string>;
  /**
   * A file's encrypted bytes by such a name, unchecked; undefined when there is none.
   * @throws {FileCorruptError} when they are more than a file's can be.
   */
  getEncrypted(name: string): Promise<Buffer | undefined>;
  /**
   * Keeps a file's encrypted bytes under the name that they had in another engine, in place of what is there, durable
   * before it resolves. With the owner's key in the key store, the file is then got as it was there.
   * @throws {TypeError} when it is no such name. @throws {FileTooLargeError} as `put` does.
   */
  putEncrypted(name: string, encrypted: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** There is no such file, or its key was destroyed: nothing tells these apart. */
export class FileMissingError extends Error {
  constructor() {
    super("the file does not exist or its key was destroyed");
    this.name = "FileMissingError";
  }
}

/** A file is there, and is not what was put. */
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
