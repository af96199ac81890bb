import type { KeyObject } from "node:crypto";

interface Creation {
  owner: string;
  resolve: (key: KeyObject) => void;
  reject: (error: unknown) => void;
}

/**
 * Makes the missing ones of these owners' keys, durably. Returns a function that gives an owner's key, or throws why
 * there is none.
 */
export type CreateKeys = (owners: readonly string[]) => Promise<(owner: string) => KeyObject>;

/** First calls for keys: those that come while others are written share the next write. */
export class Creations {
  readonly #create: CreateKeys;
  #waiting: Creation[] = [];
  #creating: Promise<void> | undefined;

  constructor(create: CreateKeys) {
    this.#create = create;
  }

  obtain(owner: string): Promise<KeyObject> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ owner, resolve, reject });
      this.#creating ??= this.#createAll();
    });
  }

  /** Resolves when none is waited for. */
  async end(): Promise<void> {
    await this.#creating;
  }

  async #createAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Those that arrive in this iteration of the event loop belong to the same write.
      await new Promise(setImmediate);
      await this.#createTogether(this.#waiting.splice(0));
    }
    this.#creating = undefined;
  }

  /** Never throws. */
  async #createTogether(creations: readonly Creation[]): Promise<void> {
    try {
      const keyOf = await this.#create(creations.map(({ owner }) => owner));
      for (const { owner, resolve, reject } of creations)
        try {
          resolve(keyOf(owner));
        } catch (error) {
          reject(error);
        }
    } catch (error) {
      for (const { reject } of creations) reject(error);
    }
  }
}
