import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { configFrom } from "@rubrica/config";
import { formatPosition } from "@rubrica/event-store";
import { leafOf, leafText, parseHead } from "@rubrica/events";
import { certificatesInPem } from "@rubrica/pdf";
import { type Command, InvalidArgumentError } from "commander";
import { acceptLossCommand } from "./accept-loss.ts";
import { ExportEnd, exportLine, readExport } from "./audit-export.ts";
import { HEADS_STREAM, headsInLog, readHeads } from "./audit-heads.ts";
import { KeptLeaves } from "./audit-leaves.ts";
import { authenticated, checkStore, ownEvents } from "./audit-store.ts";
import { AuditError, type LoggedEvent, verifiedLog, verifiedStream } from "./audit-verify.ts";
import { headCommand } from "./head.ts";
import { type Session, type Surroundings, withStoredSession } from "./session.ts";

const MAX_STREAM_NAME_LENGTH = 200;

const streamName = (text: string): string => {
  if (text === "" || text.length > MAX_STREAM_NAME_LENGTH || /\s/.test(text)) {
    throw new InvalidArgumentError("It is a stream's name, as document-019aa5c0-0000-7000-8000-0000000000d1.");
  }
  return text;
};

const storedEvents = ({ events, isShared }: Session, stream: string | undefined) => {
  if (stream !== undefined) return events.readStream(stream);
  return isShared ? ownEvents(events) : events.readAll();
};

/** A log as it can be gone through, more than once: all of it, or a stream of it. */
type Log = (stream?: string) => AsyncIterable<LoggedEvent>;

const logOfStore =
  (session: Session): Log =>
  (stream) =>
    authenticated(storedEvents(session, stream), session.keys);

const logOfExport = (path: string, endless: boolean): Log =>
  async function* (stream) {
    for await (const event of readExport(path, endless))
      if (stream === undefined || event.stream === stream) yield event;
  };

interface VerifyOptions {
  stream?: string;
  head?: string;
  leaves?: string;
  roots?: string;
  withoutEnd?: true;
}

const verified = async (
  log: Log,
  roots: readonly Uint8Array[] | null,
  options: VerifyOptions,
  known?: string,
): Promise<string> => {
  const { stream, head, leaves } = options;
  if (stream !== undefined && (head ?? leaves) !== undefined)
    throw new AuditError("A head and leaves are over the whole log: with --stream they can't be checked.");
  if (stream !== undefined) return verifiedStream(log(stream), stream);
  return verifiedLog(log(), {
    heads: await headsInLog(log(HEADS_STREAM), roots),
    kept: head === undefined ? [] : await readHeads(head),
    known: (known && parseHead(known)) || null,
    leaves: leaves === undefined ? null : await KeptLeaves.read(leaves),
  });
};

/** Certificates that may have signed heads: those that are given, else the own authority's; null where there is none. */
const rootsOf = async ({ environment }: Surroundings, given: string | undefined): Promise<Uint8Array[] | null> => {
  const own = join(configFrom(environment).dataDir, "pki", "authority", "certificate.pem");
  try {
    return certificatesInPem(await readFile(given ?? own, "utf8"));
  } catch (error) {
    if (given === undefined) return null;
    const reason = error instanceof Error ? error.message : "it failed";
    throw new AuditError(`${given} can't be used: ${reason}.`);
  }
};

/** `audit export|verify|head|accept-loss`. */
export const auditCommands = (program: Command, surroundings: Surroundings): void => {
  const audit = program.command("audit").description("replay the event log, as it is stored");

  audit
    .command("export")
    .description("print every event as one line of JSON, in the order of the log; personal parts stay encrypted")
    .option("--stream <name>", "of this stream alone", streamName)
    .option("--leaves", "print each event's leaf in the log's tree alone: its stream, revision and hash")
    .action(async ({ stream, leaves = false }: { stream?: string; leaves?: boolean }) => {
      await withStoredSession(surroundings, async (session) => {
        const end = new ExportEnd();
        for await (const event of storedEvents(session, stream)) {
          end.take(event, { position: formatPosition(event.position), damage: event.damage });
          await surroundings.print(leaves ? leafText(leafOf(event)) : exportLine(event));
        }
        if (!leaves) await surroundings.print(end.line());
      });
    });

  audit
    .command("verify")
    .description("check the hash chain of every stream, and the heads, in the store or in a file of `audit export`")
    .argument("[file]", "an export; without it the store is read")
    .option("--stream <name>", "of this stream alone", streamName)
    .option(
      "--head <file>",
      "a head that somebody kept, of /pki/heads, a webhook or a report: nothing it is over is gone",
    )
    .option("--leaves <file>", "what `audit export --leaves` printed once: tells which stream is not what it was")
    .option("--roots <pem>", "certificates that heads have to be signed under; default: the own authority's")
    .option("--without-end", "of a file: it is of a release whose exports did not end with their number and root")
    .action(async (file: string | undefined, options: VerifyOptions) => {
      const roots = await rootsOf(surroundings, options.roots);
      if (file !== undefined) {
        const log = logOfExport(file, options.withoutEnd === true);
        return surroundings.print(await verified(log, roots, options));
      }
      await withStoredSession(surroundings, async (session) => {
        await checkStore(session.events);
        await surroundings.print(await verified(logOfStore(session), roots, options, await session.keys.log.head()));
      });
    });

  headCommand(audit, surroundings);
  acceptLossCommand(audit, surroundings);
};
