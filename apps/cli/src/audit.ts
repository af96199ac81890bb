import type { RecordedEvent } from "@rubrica/event-store";
import { formatPosition } from "@rubrica/event-store";
import { ChainVerifier } from "@rubrica/events";
import { hashedForm } from "@rubrica/journal";
import type { Command } from "commander";
import { type Surroundings, withSession } from "./session.ts";

/** An event as it is stored, its personal part encrypted, as one line of JSON. */
const exportLine = ({ position, revision, ...event }: RecordedEvent): string =>
  JSON.stringify({ position: formatPosition(position), revision: Number(revision), ...event });

/** A stream's chain does not hold. */
export class BrokenChainError extends Error {
  constructor(broken: readonly string[]) {
    super(`The chain is broken at:\n${broken.map((place) => `  ${place}`).join("\n")}`);
    this.name = "BrokenChainError";
  }
}

const MAX_REPORTED = 20;

/** `audit export|verify`. */
export const auditCommands = (program: Command, surroundings: Surroundings): void => {
  const audit = program.command("audit").description("replay the event log, as it is stored");

  audit
    .command("export")
    .description("print every event as one line of JSON, in the order of the log; personal parts stay encrypted")
    .action(async () => {
      await withSession(surroundings, async ({ events }) => {
        for await (const event of events.readAll()) await surroundings.print(exportLine(event));
      });
    });

  audit
    .command("verify")
    .description("check the hash chain of every stream")
    .action(async () => {
      await withSession(surroundings, async ({ events }) => {
        const verifier = new ChainVerifier();
        const broken = new Map<string, string>();
        let count = 0;
        for await (const event of events.readAll()) {
          count += 1;
          // After its first broken link the rest of a stream says nothing more.
          if (broken.has(event.stream) || verifier.holds(hashedForm(event))) continue;
          broken.set(event.stream, `${event.stream} at revision ${event.revision}`);
        }
        if (broken.size > 0) throw new BrokenChainError([...broken.values()].slice(0, MAX_REPORTED));
        await surroundings.print(`${count} events in ${verifier.streams} streams: every chain holds.`);
      });
    });
};
