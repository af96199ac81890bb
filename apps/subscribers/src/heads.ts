import { commitLogHead, type HeadDependencies } from "@rubrica/commands";
import type { PublishedHeadsObligation } from "@rubrica/domain";
import { statementBytes } from "@rubrica/events";
import { type SigningIdentity, signStatement, type Timestamps } from "@rubrica/pdf";
import type { Runtime } from "@rubrica/runtime";
import { contextOf, LONG_WORK_MS, type Subscriber } from "./subscriber.ts";

export interface HeadSubscriberDependencies extends Pick<HeadDependencies, "events" | "handlers"> {
  runtime: Runtime;
  identity: SigningIdentity;
  /** Where timestamps come from; undefined: heads carry none. */
  timestamps: Timestamps | undefined;
}

/** Commits a head of the log: the first one reads all of it, the others what came since. */
export const headSubscriber = ({
  runtime,
  identity,
  timestamps,
  ...log
}: HeadSubscriberDependencies): Subscriber<PublishedHeadsObligation> => ({
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
    await commitLogHead({ ...log, runtime, sign }, contextOf(published, "heads"));
  },
});
