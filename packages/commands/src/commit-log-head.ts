import { commitHead } from "@rubrica/domain";
import { comparePositions, type EventStore, type Position, type RecordedEvent } from "@rubrica/event-store";
import {
  appendLeaf,
  type CommittedHead,
  HEADS_ID,
  type HeadStatement,
  HeadsCommitted,
  hasItsHash,
  headText,
  MerkleTree,
  parseStreamName,
  type StreamKind,
  streamName,
} from "@rubrica/events";
import { type CommandContext, hashedForm } from "@rubrica/journal";
import { isoTime, type Runtime, yieldToOthers } from "@rubrica/runtime";
import type { KnownEnd, KnownLog } from "@rubrica/storage";
import { holdsEnd } from "./continuity.ts";
import type { Handlers } from "./handlers.ts";

/**
 * The log does not hold the event that its newest head ends with, or the newest head that is known beside the keys: it was cut
 * or written anew, or put back from a backup.
 */
export class HeadContradicted extends Error {
  constructor(what: string) {
    super(`the log does not hold ${what}`);
    this.name = "HeadContradicted";
  }
}

/** Signs a head's statement. */
export type SignHead = (statement: HeadStatement) => Promise<{
  /** Base64 of the CMS. */
  signature: string;
  certificateSha256: string;
  /** Milliseconds since the UNIX epoch; null without a timestamp. */
  timestampedAt: number | null;
}>;

/** What heads are committed with. */
export interface HeadDependencies {
  events: Pick<EventStore, "lastPosition" | "readHashes" | "readStream">;
  handlers: Pick<Handlers, "heads">;
  runtime: Pick<Runtime, "clock">;
  sign: SignHead;
  /** Whether this service signed a head: whoever can write to the events alone can write others among them. */
  isSigned: (head: CommittedHead) => boolean;
  /** Beside the keys, where whoever can write to the events alone can't: what the log is compared with. */
  known: Pick<KnownLog, "head" | "end" | "note" | "first" | "former">;
  /** Whether no process of a release that does not authenticate events appends to the log any more. */
  isAuthenticated: () => boolean;
}

/**
 * Commits a head over all that the log holds now, going on from the newest one; gives the newest there is then, or null
 * while there is nothing. Safe to repeat and to cut: nothing is kept before the event, and what is not noted beside the
 * keys then is noted with the streams' next change.
 * @throws {HeadContradicted}
 */
export const commitLogHead = async (
  { events, handlers: { heads }, runtime: { clock }, sign, isSigned, known, isAuthenticated }: HeadDependencies,
  context: CommandContext,
): Promise<CommittedHead | null> => {
  const upTo = await events.lastPosition();
  const { newest: seen } = await heads.load(HEADS_ID);
  if (!upTo) return seen;
  // Where the first head was not noted, all streams are to be: cut after it was committed, or of a release that knew none.
  const isFirst = (await known.first.head()) === undefined;
  const isFormer = isAuthenticated() && (await known.former.head()) === undefined;
  const { vouched, newest } = await ownHeads(events, seen, await known.head(), isSigned);
  const grown = await grownTo(events, { vouched, newest }, upTo, isFirst || isFormer);
  if (!grown) return newest;
  const { tree, last, ends } = grown;
  const previous = seen && newest && { size: newest.size, root: newest.root };
  const statement = { size: tree.size, root: tree.root(), at: isoTime(clock.now()), previous };
  const { timestampedAt, ...signed } = await sign(statement);
  const head: CommittedHead = {
    ...statement,
    ...signed,
    frontier: tree.frontier,
    last,
    wentOn: await hasGoneOn(events, upTo),
    timestampedAt: timestampedAt === null ? null : isoTime(timestampedAt),
  };
  const { state } = await heads.handle(HEADS_ID, commitHead, { head, seen }, context);
  if (state.newest?.root !== head.root) return state.newest;
  const ofDocuments = ends.filter(({ stream }) => isKnown(stream));
  if (isFormer) await known.former.note(headText(head), ends);
  if (isFirst) await known.first.note(headText(head), ofDocuments);
  await known.note(headText(head), await heldEnds(events, ofDocuments, known));
  return state.newest;
};

/**
 * The head that the log is read on from, which is the one that is known beside the keys, and the newest one of this service.
 * These are two where what was committed last is not noted yet, and one where nothing is known. What others wrote into the
 * stream counts for nothing.
 * @param seen the last head of the stream, whoever wrote it
 * @param kept the newest head that is known, as text
 * @throws {HeadContradicted} when the newest head that is known is none of those that the log goes on from: nothing that is
 * known is written over by a log that lacks it.
 */
const ownHeads = async (
  events: HeadDependencies["events"],
  seen: CommittedHead | null,
  kept: string | undefined,
  isSigned: HeadDependencies["isSigned"],
): Promise<{ vouched: CommittedHead | null; newest: CommittedHead | null }> => {
  if (seen && headText(seen) === kept) return { vouched: seen, newest: seen };
  let [vouched, newest]: [CommittedHead | null, CommittedHead | null] = [null, null];
  for await (const { type, data } of events.readStream(streamName("heads", HEADS_ID))) {
    // Who accepts a loss has what is known removed: while it is, an event that says so is somebody else's, and ends nothing.
    if (type === "LossAccepted" && kept === undefined) newest = null;
    const head = type === "HeadsCommitted" ? HeadsCommitted.data.safeParse(data.data).data : undefined;
    if (!head) continue;
    if (headText(head) === kept) [vouched, newest] = [head, head];
    else if (head.size > (newest?.size ?? 0) && isSigned(head)) newest = head;
  }
  if (kept !== undefined && !vouched) throw new HeadContradicted("the head that is known beside the keys");
  return { vouched: vouched ?? newest, newest };
};

/** Where streams ended, but for those that do not hold what is known of them: that stays known. */
const heldEnds = async (
  events: HeadDependencies["events"],
  ends: readonly KnownEnd[],
  known: HeadDependencies["known"],
): Promise<KnownEnd[]> => {
  const held: KnownEnd[] = [];
  for (const end of ends) {
    const former = await known.end(end.stream);
    if (!former || (await holdsEnd(events, former))) held.push(end);
    await yieldToOthers();
  }
  return held;
};

/**
 * The tree up to the place, and what it ends with; undefined where nothing came after the head that is vouched for. The ends
 * are those of streams that changed since, or of all.
 * @throws {HeadContradicted}
 */
const grownTo = async (
  events: HeadDependencies["events"],
  { vouched, newest }: { vouched: CommittedHead | null; newest: CommittedHead | null },
  upTo: Position,
  ofAll: boolean,
) => {
  const from = vouched && { place: await placeOf(events, vouched), tree: treeOf(vouched) };
  const tree = (ofAll ? undefined : from?.tree) ?? new MerkleTree();
  let last: CommittedHead["last"] | undefined;
  const ends = new Map<string, KnownEnd>();
  for await (const page of events.readHashes(ofAll ? undefined : from?.place)) {
    for (const { position, ...leaf } of page) {
      if (!parseStreamName(leaf.stream) || comparePositions(position, upTo) > 0) continue;
      appendLeaf(tree, leaf);
      if (tree.size === newest?.size && tree.root() !== newest.root)
        throw new HeadContradicted("the events that its newest head is over");
      last = { ...leaf, revision: Number(leaf.revision) };
      ends.set(leaf.stream, leaf);
    }
    await yieldToOthers();
  }
  if (newest && tree.size < newest.size) throw new HeadContradicted("the events that its newest head is over");
  return last && { tree, last, ends: [...ends.values()] };
};

const hasGoneOn = async (events: Pick<EventStore, "lastPosition">, upTo: Position): Promise<boolean> => {
  const last = await events.lastPosition();
  return last !== undefined && comparePositions(last, upTo) > 0;
};

/** Kinds of streams whose lost ends would repeat something outside: messages, seals, credits. */
const KNOWN_KINDS: readonly (StreamKind | undefined)[] = ["document", "bulk"];
const isKnown = (stream: string): boolean => KNOWN_KINDS.includes(parseStreamName(stream)?.kind);

/** The tree that a head is of. What it goes on from is not signed: it has to come to the root. @throws {HeadContradicted} */
const treeOf = ({ size, frontier, root }: CommittedHead): MerkleTree => {
  const tree = new MerkleTree({ size, frontier });
  if (tree.root() !== root) throw new HeadContradicted("the tree that its newest head is of");
  return tree;
};

/** Where the head's last event stands in this store. @throws {HeadContradicted} when it does not. */
const placeOf = async (events: Pick<EventStore, "readStream">, head: CommittedHead): Promise<Position> => {
  const { stream, revision, hash } = head.last;
  const found: RecordedEvent | undefined = await firstOf(events.readStream(stream, BigInt(revision)));
  const isThere = found?.revision === BigInt(revision) && found.metadata.hash === hash;
  if (!isThere || !hasItsHash(hashedForm(found), String(found.metadata.previousHash)))
    throw new HeadContradicted("the event that its newest head ends with");
  return found.position;
};

const firstOf = async <Item>(items: AsyncIterable<Item>): Promise<Item | undefined> => {
  for await (const item of items) return item;
  return undefined;
};
