import { holdsEnd } from "@rubrica/commands";
import { acceptLoss } from "@rubrica/domain";
import { HEADS_ID, headText, NOBODYS_ACCOUNT, parseHead } from "@rubrica/events";
import type { Command } from "commander";
import { type Session, type Surroundings, withStoredSession } from "./session.ts";

const MAX_PRINTED = 20;

/** Streams that do not hold what is known of them beside the keys. */
const cutStreams = async ({ events, keys }: Session): Promise<string[]> => {
  const cut: string[] = [];
  for await (const end of keys.log.ends()) if (!(await holdsEnd(events, end))) cut.push(end.stream);
  return cut;
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
        const { newest } = await handlers.heads.load(HEADS_ID);
        const cut = await cutStreams(session);
        if (cut.length === 0 && (known === undefined || (newest && headText(newest) === known)))
          return surroundings.print("Nothing is missing of what is known of the log: no loss was recorded.");
        const loss = { head: (known && parseHead(known)) || null, streams: cut.length };
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
