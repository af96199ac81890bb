import {
  appendLeaf,
  ChainVerifier,
  type HashedEvent,
  leafOf,
  leafText,
  MerkleTree,
  parseStreamName,
  type TreeHead,
} from "@rubrica/events";

import type { ExpectedHead, HeadsInLog } from "./audit-heads.ts";
import type { KeptLeaves } from "./audit-leaves.ts";

/** What an audit found: a chain that does not hold, or nothing to look at. */
export class AuditError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "AuditError";
  }
}

const MAX_REPORTED = 20;

/** An event of a log that is gone through. */
export interface LoggedEvent extends HashedEvent {
  /** A fault in what no hash covers: its place, its id, its fields. */
  fault?: string | undefined;
}

/** How the events of each stream follow each other, beside their chain. */
class Order {
  readonly #last = new Map<string, { at: string; id: unknown }>();

  /** What is wrong with an event after the one before in its stream. */
  faultOf({ stream, metadata }: HashedEvent): "back" | "twice" | undefined {
    const before = this.#last.get(stream);
    const [at, id] = [String(metadata.at), metadata.eventId];
    this.#last.set(stream, { at, id });
    if (before === undefined) return undefined;
    return before.id === id ? "twice" : before.at > at ? "back" : undefined;
  }
}

const listed = (title: string, places: readonly string[]): string[] => {
  const shown = places.slice(0, MAX_REPORTED).map((place) => `  ${place}`);
  const more = places.length > MAX_REPORTED ? [`  and ${places.length - MAX_REPORTED} more`] : [];
  return places.length === 0 ? [] : [[`${title}:`, ...shown, ...more].join("\n")];
};

/** The log as far as it was gone through: its chains, its times, and the root at each size that a head is of. */
class Walk {
  readonly tree = new MerkleTree();
  readonly #verifier = new ChainVerifier();
  readonly #order = new Order();
  readonly #broken = new Map<string, string>();
  readonly #unhashed: string[] = [];
  readonly #back: string[] = [];
  readonly #twice: string[] = [];
  readonly #unknown = new Set<string>();
  readonly #sizes: ReadonlySet<number>;
  readonly #roots = new Map<number, string>();
  /** The last leaf of each size that a head is of. */
  readonly #lasts = new Map<number, string>();

  constructor(expected: readonly ExpectedHead[]) {
    this.#sizes = new Set(expected.map(({ size }) => size));
  }

  get streams(): number {
    return this.#verifier.streams;
  }

  take(event: LoggedEvent): void {
    const place = `${event.stream} at revision ${event.revision}`;
    if (event.fault !== undefined) this.#unhashed.push(`${place}: ${event.fault}`);
    const fault = this.#order.faultOf(event);
    if (fault !== undefined) (fault === "back" ? this.#back : this.#twice).push(place);
    // After its first broken link the rest of a stream says nothing more.
    if (!this.#broken.has(event.stream) && !this.#verifier.verify(event)) this.#broken.set(event.stream, place);
    if (!parseStreamName(event.stream)) {
      this.#unknown.add(event.stream);
      return;
    }
    const leaf = leafOf(event);
    appendLeaf(this.tree, leaf);
    if (!this.#sizes.has(this.tree.size)) return;
    this.#roots.set(this.tree.size, this.tree.root());
    this.#lasts.set(this.tree.size, leafText(leaf));
  }

  faults(): string[] {
    return [
      ...listed("The chain is broken at", [...this.#broken.values()]),
      ...listed("It was changed beside what its hash covers at", this.#unhashed),
      ...listed("The time is earlier than that of the event before at", this.#back),
      ...listed("The event before stands there once more, by its id, at", this.#twice),
      ...listed("These streams are none of the service's, and no head is over them", [...this.#unknown]),
    ];
  }

  /** What is wrong with the log by a head; undefined when it holds what the head is over. */
  contradicted({ size, root, from, last }: ExpectedHead): string | undefined {
    const { size: count } = this.tree;
    if (size > count)
      return `The head ${from} is over ${size} events, of which the log holds ${count}: ${size - count} or more were taken away`;
    const found = size === 0 ? new MerkleTree().root() : this.#roots.get(size);
    if (found !== root)
      return `The head ${from} does not hold: among the first ${size} events one was taken away, added, moved or changed`;
    const isLast =
      last === undefined || leafText({ ...last, revision: BigInt(last.revision) }) === this.#lasts.get(size);
    return isLast ? undefined : `The head ${from} names another event than the one that it ends with`;
  }
}

/** What a log is checked against. */
export interface Against {
  heads: HeadsInLog;
  /** Heads that somebody kept elsewhere. */
  kept: readonly ExpectedHead[];
  /** The head that is known beside the keys of the store. */
  known: TreeHead | null;
  leaves: KeptLeaves | null;
}

/**
 * A sentence that says what holds, and what can't be shown.
 * @throws {AuditError} naming each fault, or that there is nothing.
 */
export const verifiedLog = async (
  events: AsyncIterable<LoggedEvent>,
  { heads, kept, known, leaves }: Against,
): Promise<string> => {
  const beside = known ? [{ ...known, from: "that is known beside the keys" }] : [];
  const expected = [...heads.expected, ...kept, ...beside];
  const walk = new Walk(expected);
  let count = 0;
  for await (const event of events) {
    count += 1;
    walk.take(event);
    leaves?.take(leafOf(event));
  }
  const contradicted = expected.flatMap((head) => walk.contradicted(head) ?? []);
  const faults = [
    ...walk.faults(),
    ...listed("The heads do not hold", [...heads.faults, ...contradicted]),
    ...listed("By the leaves that were kept", leaves?.faults() ?? []),
    ...(count === 0 ? ["There are no events: nothing could be checked."] : []),
  ];
  if (faults.length > 0) throw new AuditError([...faults, ...lossOf(heads, [...kept, ...beside])].join("\n"));
  const chains = `${count} events in ${walk.streams} streams: every chain holds.`;
  return [chains, ...shown(heads, [...kept, ...beside], walk.tree.size, kept.length)].join("\n");
};

/** An operator said that this is lost: that names it, and does not bring it back. */
const lossOf = ({ lost }: HeadsInLog, kept: readonly ExpectedHead[]): string[] =>
  kept
    .filter(({ size, root }) => lost.some((head) => head.size === size && head.root === root))
    .map(
      ({ from }) =>
        `That what the head ${from} is over was lost is recorded in the log (\`rubrica audit accept-loss\`).`,
    );

/** What heads show, and what nothing does. */
const shown = (
  { expected, newest, signedByUnknown, losses }: HeadsInLog,
  held: readonly ExpectedHead[],
  count: number,
  kept: number,
): string[] => {
  if (!newest && held.length === 0) return [NO_HEAD];
  const size = Math.max(newest?.size ?? 0, ...held.map((head) => head.size));
  const named = kept > 0 ? `${kept} that were kept` : "none that was kept elsewhere";
  const after = count - size;
  return [
    `${expected.length} heads of the log hold, and ${named}: the newest is over the first ${size} events.`,
    ...(after > 0 ? [`${after} came after it: that none of those was taken away can't be shown.`] : []),
    ...(losses > 0
      ? [
          `That something was lost was recorded ${losses} times (\`rubrica audit accept-loss\`): ask who runs the service.`,
        ]
      : []),
    ...(kept > 0 ? [] : [ONLY_OWN]),
    ...(signedByUnknown > 0 ? [UNVOUCHED] : []),
  ];
};

const NO_HEAD =
  "There is no head: that no stream, and no end of one, was taken away can't be shown. A head that was kept is given with --head.";
const ONLY_OWN =
  "Whoever can take away events can take away heads of the log with them: a head that was kept elsewhere (--head) shows that nobody did.";
const UNVOUCHED = "Whose the heads' certificate is was not checked: --roots names those that may have signed.";

/**
 * A sentence that says that a stream's chain holds, and its head.
 * @throws {AuditError} naming each fault, or that there is nothing of it.
 */
export const verifiedStream = async (events: AsyncIterable<LoggedEvent>, stream: string): Promise<string> => {
  const walk = new Walk([]);
  let count = 0;
  let last: LoggedEvent | undefined;
  for await (const event of events) {
    if (event.stream !== stream) continue;
    count += 1;
    last = event;
    walk.take(event);
  }
  const faults = walk.faults();
  if (faults.length > 0) throw new AuditError(faults.join("\n"));
  if (!last) throw new AuditError(`There is no stream ${stream}.`);
  return `${count} events in ${stream}: its chain holds. Its head: ${last.metadata.hash}`;
};
