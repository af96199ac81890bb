import { holdsEnd } from "@rubrica/commands";
import { acceptLoss } from "@rubrica/domain";
import {
  appendLeaf,
  HEADS_ID,
  HeadsCommitted,
  headText,
  MerkleTree,
  NOBODYS_ACCOUNT,
  parseHead,
  parseStreamName,
  type TreeHead,
} from "@rubrica/events";
import type { Command } from "commander";
import { HEADS_STREAM } from "./audit-heads.ts";
import { type Session, type Surroundings, withStoredSession } from "./session.ts";

const MAX_PRINTED = 20;

/** Streams that do not hold what is known of them beside the keys. */
const cutStreams = async ({ events, keys }: Session): Promise<string[]> => {
  const cut: string[] = [];
  for await (const end of keys.log.ends()) if (!(await holdsEnd(events, end))) cut.push(end.stream);
  return cut;
};

/** Whether the log has the head, and holds all that it is over: streams of any kind. */
const holdsHead = async ({ events }: Session, head: TreeHead): Promise<boolean> => {
  let isThere = false;
  for await (const { type, data } of events.readStream(HEADS_STREAM)) {
    const one = type === "HeadsCommitted" ? HeadsCommitted.data.safeParse(data.data) : undefined;
    isThere ||= one?.success === true && headText(one.data) === headText(head);
  }
  if (!isThere) return false;
  const tree = new MerkleTree();
  for await (const page of events.readHashes())
    for (const leaf of page) if (tree.size < head.size && parseStreamName(leaf.stream)) appendLeaf(tree, leaf);
  return tree.size === head.size && tree.root() === head.root;
};

/** `audit accept-loss`. */
export const acceptLossCommand = (audit: Command, surroundings: Surroundings): void => {
  audit
    .command("accept-loss")
    .description("record that an older state of the log was put back: what was known of it beyond that is forgotten")
    .action(async () => {
      await withStoredSession(surroundings, async (session) => {
        const { handlers, keys, contextFor } = session;
        const known = await keys.log.head();
        const head = known === undefined ? undefined : parseHead(known);
        const cut = await cutStreams(session);
        // What was committed last may not be noted beside the keys yet: the log need not end with what is.
        if (cut.length === 0 && (head === undefined || (await holdsHead(session, head))))
          return surroundings.print("Nothing is missing of what is known of the log: no loss was recorded.");
        const loss = { head: head ?? null, streams: cut.length };
        await handlers.heads.handle(HEADS_ID, acceptLoss, loss, contextFor(NOBODYS_ACCOUNT));
        await keys.log.remove(cut);
        const shown = cut.slice(0, MAX_PRINTED).map((stream) => `\n  ${stream}`);
        const more = cut.length > MAX_PRINTED ? `\n  and ${cut.length - MAX_PRINTED} more` : "";
        await surroundings.print(
          `Recorded: what the head ${known ?? "(none)"} was over is lost. ${cut.length} streams ended earlier than was known${shown.length > 0 ? ":" : "."}${shown.join("")}${more}`,
        );
      });
    });
};
