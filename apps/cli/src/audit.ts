import { ChainVerifier, type HashedEvent } from "@rubrica/events";
import { hashedForm } from "@rubrica/journal";
import { type Command, InvalidArgumentError } from "commander";
import { exportLine, readExport } from "./audit-export.ts";
import { type Session, type Surroundings, withStoredSession } from "./session.ts";

/** What an audit found: a chain that does not hold, or nothing to look at. */
export class AuditError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "AuditError";
  }
}

const MAX_REPORTED = 20;
const MAX_STREAM_NAME_LENGTH = 200;

const streamName = (text: string): string => {
  if (text === "" || text.length > MAX_STREAM_NAME_LENGTH || /\s/.test(text)) {
    throw new InvalidArgumentError("It is a stream's name, as document-019aa5c0-0000-7000-8000-0000000000d1.");
  }
  return text;
};

const storedEvents = ({ events }: Session, stream: string | undefined) =>
  stream === undefined ? events.readAll() : events.readStream(stream);

async function* hashedEvents(session: Session, stream: string | undefined): AsyncGenerator<HashedEvent> {
  for await (const event of storedEvents(session, stream)) yield hashedForm(event);
}

async function* onlyOf(events: AsyncIterable<HashedEvent>, stream: string): AsyncGenerator<HashedEvent> {
  for await (const event of events) if (event.stream === stream) yield event;
}

/** Whether the times of streams never run back. */
class Times {
  readonly #last = new Map<string, string>();

  /** Whether an event's time is no earlier than the one before in its stream. */
  follow({ stream, metadata }: HashedEvent): boolean {
    const at = String(metadata.at);
    const follows = (this.#last.get(stream) ?? "") <= at;
    this.#last.set(stream, at);
    return follows;
  }
}

const listed = (title: string, places: readonly string[]): string =>
  `${title}:\n${places
    .slice(0, MAX_REPORTED)
    .map((place) => `  ${place}`)
    .join("\n")}`;

/**
 * A sentence that says that every chain holds, and of a single stream its head.
 * @throws {AuditError} naming where chains are broken or times run back, or that there is nothing, or nothing of the stream.
 */
const verified = async (events: AsyncIterable<HashedEvent>, stream: string | undefined): Promise<string> => {
  const verifier = new ChainVerifier();
  const times = new Times();
  const broken = new Map<string, string>();
  const back: string[] = [];
  let count = 0;
  let last: HashedEvent | undefined;
  for await (const event of events) {
    count += 1;
    last = event;
    if (!times.follow(event)) back.push(`${event.stream} at revision ${event.revision}`);
    // After its first broken link the rest of a stream says nothing more.
    if (broken.has(event.stream) || verifier.holds(event)) continue;
    broken.set(event.stream, `${event.stream} at revision ${event.revision}`);
  }
  if (broken.size > 0) throw new AuditError(listed("The chain is broken at", [...broken.values()]));
  if (back.length > 0) throw new AuditError(listed("The time is earlier than that of the event before at", back));
  if (stream === undefined && count === 0) throw new AuditError("There are no events: nothing could be checked.");
  if (stream === undefined) return `${count} events in ${verifier.streams} streams: every chain holds.`;
  if (!last) throw new AuditError(`There is no stream ${stream}.`);
  return `${count} events in ${stream}: its chain holds. Its head: ${last.metadata.hash}`;
};

/** `audit export|verify`. */
export const auditCommands = (program: Command, surroundings: Surroundings): void => {
  const audit = program.command("audit").description("replay the event log, as it is stored");

  audit
    .command("export")
    .description("print every event as one line of JSON, in the order of the log; personal parts stay encrypted")
    .option("--stream <name>", "of this stream alone", streamName)
    .action(async ({ stream }: { stream?: string }) => {
      await withStoredSession(surroundings, async (session) => {
        for await (const event of storedEvents(session, stream)) await surroundings.print(exportLine(event));
      });
    });

  audit
    .command("verify")
    .description("check the hash chain of every stream, in the store or in a file that `audit export` printed")
    .argument("[file]", "an export; without it the store is read")
    .option("--stream <name>", "of this stream alone", streamName)
    .action(async (file: string | undefined, { stream }: { stream?: string }) => {
      if (file !== undefined) {
        const events = readExport(file);
        return surroundings.print(await verified(stream === undefined ? events : onlyOf(events, stream), stream));
      }
      await withStoredSession(surroundings, async (session) => {
        await surroundings.print(await verified(hashedEvents(session, stream), stream));
      });
    });
};
