import type { PhoneNotice } from "../../src/phone/notice.ts";

/** Collects notices, and lets a test await one. */
export class Notices {
  readonly all: PhoneNotice[] = [];
  #waiting: { fits: (notice: PhoneNotice) => boolean; resolve: (notice: PhoneNotice) => void }[] = [];

  readonly take = async (notice: PhoneNotice): Promise<void> => {
    this.all.push(notice);
    const met = this.#waiting.filter(({ fits }) => fits(notice));
    this.#waiting = this.#waiting.filter((waiting) => !met.includes(waiting));
    for (const { resolve } of met) resolve(notice);
  };

  readonly first = (fits: (notice: PhoneNotice) => boolean): Promise<PhoneNotice> => {
    const found = this.all.find(fits);
    if (found) return Promise.resolve(found);
    return new Promise((resolve) => this.#waiting.push({ fits, resolve }));
  };

  readonly kinds = (): string[] => this.all.map(({ kind }) => kind);
}
