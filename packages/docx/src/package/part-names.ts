import { DocxRefused, damaged } from "../refused.ts";

/** The parts of a package by name: names are alike but for case and percent-encoding (ECMA-376, part 2, 6.2.2). */
export class PartNames {
  readonly #byKey = new Map<string, string>();

  /** @throws {DocxRefused} where two parts have one name. */
  constructor(names: Iterable<string>) {
    for (const name of names) {
      const key = keyOf(name);
      if (this.#byKey.has(key)) throw new DocxRefused("overlapping_entries", "the file has two parts of one name");
      this.#byKey.set(key, name);
    }
  }

  /** The part's name as the archive has it, if it is there. */
  find(name: string): string | undefined {
    return this.#byKey.get(keyOf(name));
  }
}

const keyOf = (name: string): string => decoded(name).replaceAll("\\", "/").toLowerCase();

const decoded = (name: string): string => {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
};

/** The name of the part with a part's relationships; of the package's own for "". */
export const relationshipsOf = (name: string): string => {
  const slash = name.lastIndexOf("/") + 1;
  return `${name.slice(0, slash)}_rels/${name.slice(slash)}.rels`;
};

/**
 * The name that a relationship's target stands for (ECMA-376, part 2, 6.4).
 * @param source the part that has the relationship, "" for the package.
 * @throws {DocxRefused} where it leaves the package.
 */
export const resolveTarget = (source: string, target: string): string => {
  const path = (target.split(/[?#]/, 1)[0] ?? "").replaceAll("\\", "/");
  const segments = path.startsWith("/") ? [] : source.split("/").slice(0, -1);
  for (const segment of path.split("/")) {
    if (segment === "..") {
      if (segments.pop() === undefined) throw damaged("a relationship leads out of it");
    } else if (segment !== "." && segment !== "") {
      segments.push(segment);
    }
  }
  return segments.join("/");
};
