import { commitLogHead, type Handlers, type HeadDependencies } from "@rubrica/commands";
import type { PublishedHeadsObligation } from "@rubrica/domain";
import { HEADS_ID, parseHead, statementBytes, type TreeHead } from "@rubrica/events";
import { UnreadableStreamError } from "@rubrica/journal";
import { headsSignedUnder, type SigningIdentity, signStatement, type Timestamps } from "@rubrica/pdf";
import { type Clock, type Runtime, remembered } from "@rubrica/runtime";
import type { KeyStore, KnownLog } from "@rubrica/storage";
import { contextOf, LONG_WORK_MS, type Subscriber } from "./subscriber.ts";

/** A head that was read is told for so long: each webhook asks for one. */
const TOLD_AGAIN_MS = 5_000;
/** So long after its start, no process of the release before runs beside this one: it did not authenticate events. */
const REPLACED_MS = 3_600_000;

/**
 * The log's newest head, for whoever sends it along: where one is known beside the keys that one, since whoever can write to
 * the events can add others. Null where there is none, or where heads can't be read: nothing waits for a head.
 */
export const newestHeadOf = (
  { heads }: Pick<Handlers, "heads">,
  known: Pick<KnownLog, "head">,
  clock: Clock,
): (() => Promise<TreeHead | null>) =>
  remembered(clock, TOLD_AGAIN_MS, async () => {
    const kept = await known.head();
    if (kept !== undefined) return parseHead(kept) ?? null;
    try {
      const { newest } = await heads.load(HEADS_ID);
      return newest && { size: newest.size, root: newest.root };
    } catch (error) {
      if (error instanceof UnreadableStreamError) return null;
      throw error;
    }
  });

export interface HeadSubscriberDependencies extends Pick<HeadDependencies, "events" | "handlers"> {
  keys: Pick<KeyStore, "log">;
  runtime: Runtime;
  identity: SigningIdentity;
  /** Certificates (DER) that heads of this service are signed under, today's and former ones. */
  roots: readonly Uint8Array[];
  /** Where timestamps come from; undefined: heads carry none. */
  timestamps: Timestamps | undefined;
}

/** Commits a head of the log: the first one reads all of it, the others what came since. */
export const headSubscriber = ({
  runtime,
  identity,
  roots,
  timestamps,
  keys: { log: known },
  ...log
}: HeadSubscriberDependencies): Subscriber<PublishedHeadsObligation> => {
  const startedMs = runtime.clock.now();
  const isAuthenticated = () => runtime.clock.now() - startedMs >= REPLACED_MS;
  return {
    kind: "commit-heads",
    concurrency: 1,
    longestMs: LONG_WORK_MS,
    async meet(published) {
      const sign: HeadDependencies["sign"] = async (statement) => {
        const named = { kind: "head", id: statement.root } as const;
        const by = { identity, timestamps };
        const { cms, timestampedAt } = await signStatement(runtime, statementBytes(statement), named, by);
        const { certificateSha256 } = identity;
        return { signature: Buffer.from(cms).toString("base64"), certificateSha256, timestampedAt };
      };
      await commitLogHead(
        { ...log, runtime, sign, isSigned: headsSignedUnder(roots), known, isAuthenticated },
        contextOf(published, "heads"),
      );
    },
  };
};
