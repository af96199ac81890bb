interface Creation<Asked, Made> {
  asked: Asked;
  resolve: (made: Made) => void;
  reject: (error: unknown) => void;
}

/** Makes what is missing of all that was asked for, durably. Returns a function that gives each, or throws why there is none. */
export type CreateTogether<Asked, Made> = (asked: readonly Asked[]) => Promise<(asked: Asked) => Made>;

/** What is to be made durable: what is asked for while other things are written shares the next write. */
export class Creations<Asked, Made> {
  readonly #create: CreateTogether<Asked, Made>;
  #waiting: Creation<Asked, Made>[] = [];
  #creating: Promise<void> | undefined;

  constructor(create: CreateTogether<Asked, Made>) {
    this.#create = create;
  }

  obtain(asked: Asked): Promise<Made> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ asked, resolve, reject });
      this.#creating ??= this.#createAll();
    });
  }

  /** Resolves when nothing is waited for. */
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
  async #createTogether(creations: readonly Creation<Asked, Made>[]): Promise<void> {
    try {
      const madeOf = await this.#create(creations.map(({ asked }) => asked));
      for (const { asked, resolve, reject } of creations)
        try {
          resolve(madeOf(asked));
        } catch (error) {
          reject(error);
        }
    } catch (error) {
      for (const { reject } of creations) reject(error);
    }
  }
}
