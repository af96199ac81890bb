import { requestHead } from "@rubrica/domain";
import { HEADS_ID, HeadsCommitted, headText, NOBODYS_ACCOUNT } from "@rubrica/events";
import type { Command } from "commander";
import { HEADS_STREAM } from "./audit-heads.ts";
import { AuditError } from "./audit-verify.ts";
import { type Session, type Surroundings, withStoredSession } from "./session.ts";

const WAIT_MS = 60_000;
const LOOK_MS = 200;

/** The head that was committed after a revision of its stream; undefined while there is none. */
const headAfter = async ({ events }: Session, revision: bigint): Promise<string | undefined> => {
  for await (const event of events.readStream(HEADS_STREAM, revision + 1n)) {
    const head = HeadsCommitted.data.safeParse(event.data.data);
    if (event.type === "HeadsCommitted" && head.success) return headText(head.data);
  }
  return undefined;
};

/** `audit head`. */
export const headCommand = (audit: Command, surroundings: Surroundings): void => {
  audit
    .command("head")
    .description("have a head of the log committed now, by the service that runs, and print it: size and root")
    .action(async () => {
      await withStoredSession(surroundings, async (session) => {
        const { clock } = session.runtime;
        const { handlers, contextFor } = session;
        const { events } = await handlers.heads.handle(HEADS_ID, requestHead, {}, contextFor(NOBODYS_ACCOUNT));
        const requested = events.at(-1)?.revision ?? 0n;
        const untilMs = clock.monotonicMs() + WAIT_MS;
        for (;;) {
          const head = await headAfter(session, requested);
          if (head !== undefined) return surroundings.print(head);
          if (clock.monotonicMs() > untilMs) break;
          await clock.wait(LOOK_MS);
        }
        throw new AuditError(
          "No service has committed it within a minute: none runs, or the log does not hold what its newest head is over " +
            "(`rubrica audit verify`, and the service's log, tell).",
        );
      });
    });
};
