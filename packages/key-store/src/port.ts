import type { KeyObject } from "node:crypto";

/**
 * One random 256-bit key for each owner (a document, a bulk call's rows), kept wrapped by a subkey of SECRET.
 * Destroying a key is the only way that Rubrica forgets: what it encrypted stays where it is, unreadable.
 */
export interface KeyStore {
  /** The owner's key, made and durable on the first call; concurrent first calls get the same key. @throws {KeyDestroyedError} */
  obtain(owner: string): Promise<KeyObject>;
  /** The owner's key, or undefined when it never was or is destroyed. */
  find(owner: string): Promise<KeyObject | undefined>;
  /** Destroys the owner's key for good, durably; it cannot be made again. Repeatable. */
  destroy(owner: string): Promise<void>;
  close(): Promise<void>;
}

/** The owner's key was destroyed: nothing may be written for this owner any more. */
export class KeyDestroyedError extends Error {
  constructor() {
    super("the key of this owner was destroyed");
    this.name = "KeyDestroyedError";
  }
}
