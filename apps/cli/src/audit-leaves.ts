import { type EventLeaf, leafText } from "@rubrica/events";
import { ExportError, linesOf } from "./audit-export.ts";

/** Where a stream ended when its leaves were kept. */
interface KeptEnd {
  revision: bigint;
  hash: string;
}

/**
 * Leaves that somebody kept (`audit export --leaves`), to tell which stream is not what it was: each stream's last event by
 * its hash, which covers those before.
 */
export class KeptLeaves {
  readonly #ends = new Map<string, KeptEnd>();
  readonly #found = new Map<string, bigint>();
  readonly #changed: string[] = [];

  /** @throws {ExportError} at the first line that is no leaf. */
  static async read(path: string): Promise<KeptLeaves> {
    const kept = new KeptLeaves();
    let number = 0;
    for await (const line of linesOf(path)) {
      number += 1;
      const leaf = leafIn(line);
      if (!leaf) throw new ExportError(`Line ${number} of ${path} is no leaf as \`audit export --leaves\` prints it.`);
      const { stream, revision, hash } = leaf;
      if ((kept.#ends.get(stream)?.revision ?? -1n) + 1n !== revision)
        throw new ExportError(`Line ${number} of ${path} does not go on with its stream.`);
      kept.#ends.set(stream, { revision, hash });
    }
    if (number === 0) throw new ExportError(`${path} is empty: there is no leaf.`);
    return kept;
  }

  /** Takes note of an event of the log. */
  take({ stream, revision, hash }: EventLeaf): void {
    const kept = this.#ends.get(stream);
    if (kept?.revision === revision && kept.hash !== hash)
      this.#changed.push(`${stream} is not what it was, at revision ${revision} or before`);
    this.#found.set(stream, revision);
  }

  /** Streams that are not as they were kept, once all events were taken. */
  faults(): string[] {
    const cut: string[] = [];
    for (const [stream, { revision }] of this.#ends) {
      const found = this.#found.get(stream);
      if (found === undefined) cut.push(`${stream} is gone: it had ${revision + 1n} events`);
      else if (found < revision) cut.push(`${stream} ends at revision ${found}: it had ${revision + 1n} events`);
    }
    return [...this.#changed, ...cut];
  }
}

const leafIn = (line: string): EventLeaf | undefined => {
  try {
    const [stream, revision, hash] = JSON.parse(line);
    if (typeof stream !== "string" || !Number.isSafeInteger(revision) || typeof hash !== "string") return undefined;
    const leaf = { stream, revision: BigInt(revision), hash };
    return leafText(leaf) === line ? leaf : undefined;
  } catch {
    return undefined;
  }
};
