import type { ProviderNotice } from "../src/index.ts";

/** Collects notices, and lets a test await one. */
export class Notices {
  readonly all: ProviderNotice[] = [];
  #waiting: { fits: (notice: ProviderNotice) => boolean; resolve: (notice: ProviderNotice) => void }[] = [];

  readonly take = async (notice: ProviderNotice): Promise<void> => {
    this.all.push(notice);
    const met = this.#waiting.filter(({ fits }) => fits(notice));
    this.#waiting = this.#waiting.filter((waiting) => !met.includes(waiting));
    for (const { resolve } of met) resolve(notice);
  };

  readonly first = (fits: (notice: ProviderNotice) => boolean): Promise<ProviderNotice> => {
    const found = this.all.find(fits);
    if (found) return Promise.resolve(found);
    return new Promise((resolve) => this.#waiting.push({ fits, resolve }));
  };

  readonly kinds = (): string[] => this.all.map(({ kind }) => kind);
}
