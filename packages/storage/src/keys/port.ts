import type { KeyObject } from "node:crypto";
import type { KnownLog } from "./known-log.ts";
import type { Lines } from "./lines.ts";
import type { KeyUnreadableError } from "./wrapping.ts";

/**
 * One random 256-bit key for each owner (a document, a bulk call's rows), kept wrapped by a subkey of SECRET.
 * Destroying a key is the only way that Rubrica forgets: what it encrypted stays where it is, unreadable.
 */
export interface KeyStore {
  /** What is known here of the event log: kept, backed up and restored with the keys. */
  readonly log: KnownLog;
  /** Random ids that are forgotten with their owners' keys. */
  readonly lines: Lines;
  /**
   * The owner's key, made and durable on the first call; concurrent first calls get the same key.
   * @throws {KeyDestroyedError} @throws {KeyUnreadableError} when it is there and damaged: it is never made anew then.
   */
  obtain(owner: string): Promise<KeyObject>;
  /** The owner's key, or undefined when it never was or is destroyed. @throws {KeyUnreadableError} as `obtain` does. */
  find(owner: string): Promise<KeyObject | undefined>;
  /**
   * The keys of many owners at once; one that never was or is destroyed is not among them. What can't be opened keeps
   * no other back: the error is in its place.
   */
  findMany(owners: Iterable<string>): Promise<ReadonlyMap<string, KeyObject | KeyUnreadableError>>;
  /** Destroys the owner's key for good, durably; it cannot be made again. Takes every line from them. Repeatable. */
  destroy(owner: string): Promise<void>;
  /** Evicts what this process holds of the owner's key, or of every key: it is read from the store when it is asked for next. */
  evict(owner?: string): void;
  /**
   * Up to where in the event log erasures were carried out here, as it was noted last; restored with the keys that it
   * tells of. Opaque.
   */
  erasuresDone(): Promise<string | undefined>;
  /** Notes it. Lost with the power it is carried out once more. */
  noteErasuresDone(upTo: string): Promise<void>;
  /**
   * Every row as it is kept, for copying the store to another engine: each owner once, in ascending order of their UTF-8
   * bytes. One that is made or destroyed meanwhile may or may not show it.
   */
  rows(): AsyncIterable<KeyRow>;
  /**
   * Keeps rows of another engine's store with the same SECRET, durably. A key that is there stays; a destroyed one is
   * destroyed here too, and never comes back. Repeatable.
   */
  putRows(rows: readonly KeyRow[]): Promise<void>;
  close(): Promise<void>;
}

/** An owner and the key's wrapped bytes, which a SECRET opens; null: it was destroyed. */
export interface KeyRow {
  owner: string;
  wrapped: Uint8Array | null;
}

/** The owner's key was destroyed: nothing may be written for this owner any more. */
export class KeyDestroyedError extends Error {
  constructor() {
    super("the key of this owner was destroyed");
    this.name = "KeyDestroyedError";
  }
}
