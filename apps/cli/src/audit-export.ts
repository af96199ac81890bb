import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { formatPosition, parsePosition, type RecordedEvent } from "@rubrica/event-store";
import { appendLeaf, type HashedEvent, leafOf, MerkleTree } from "@rubrica/events";
import { hashedForm } from "@rubrica/journal";
import type { LoggedEvent } from "./audit-verify.ts";
import { doubledKey } from "./doubled-key.ts";

/** Of one line, in characters: an append holds 1 MB, and JSON may escape what it holds. */
const MAX_LINE_LENGTH = 8_388_608;

/** A file is not what `audit export` prints; names the line. */
export class ExportError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ExportError";
  }
}

/**
 * An event as one line of JSON: where it stands, and what its hash covers, by the names that it is hashed under.
 * @throws {ExportError} where its data are too deep to be printed, as none of the service's are
 */
export const exportLine = (recorded: RecordedEvent): string => {
  const { position, id, damage } = recorded;
  const { revision, ...hashed } = hashedForm(recorded);
  const line = reprinted({ position: formatPosition(position), id, ...hashed, revision: Number(revision), damage });
  if (line === undefined)
    throw new ExportError(`${recorded.stream} at revision ${revision} can't be printed: its data are too deep.`);
  return line;
};

/** What stands in a line, and no hash of an event covers. */
interface Unhashed {
  position?: unknown;
  damage?: unknown;
}

/**
 * What an export ends with: how many events it holds, the root of the Merkle tree over them, and a hash over what no hash
 * of an event covers.
 */
export class ExportEnd {
  readonly #tree = new MerkleTree();
  readonly #rest = createHash("sha256");

  /** Takes in an event, in the order of the export. */
  take(event: Pick<HashedEvent, "stream" | "revision" | "metadata">, { position, damage = null }: Unhashed): void {
    appendLeaf(this.#tree, leafOf(event));
    this.#rest.update(`${JSON.stringify([position, damage])}\n`);
  }

  /** The last line. */
  line(): string {
    const rest = this.#rest.copy().digest("hex");
    return JSON.stringify({ end: { events: this.#tree.size, root: this.#tree.root(), rest } });
  }
}

/** What a line has; no hash covers the first two, and `damage` is what a store said of an event that it could not read. */
const fields = new Set(["position", "id", "stream", "revision", "type", "data", "personal", "metadata", "damage"]);

/**
 * The events of an export. What no hash covers has to be as `audit export` prints it, too: else a line could say two things.
 * @param endless whether it is one of an earlier release, which had no end
 * @throws {ExportError} at the first line that is not an export's, and where the file is empty or was cut off.
 */
export async function* readExport(path: string, endless = false): AsyncGenerator<LoggedEvent> {
  const end = new ExportEnd();
  let number = 0;
  let last = "";
  let ended = false;
  for await (const line of linesOf(path)) {
    number += 1;
    if (ended) throw new ExportError(`Line ${number} of ${path} comes after the export's end.`);
    const read = objectOf(line);
    if ("end" in read) {
      if (line !== end.line()) throw new ExportError(`${path} does not hold what its last line says that it holds.`);
      ended = true;
      continue;
    }
    const event = hashedFrom(read);
    if (!event) throw new ExportError(`Line ${number} of ${path} is no event as \`rubrica audit export\` prints it.`);
    const position = positionOf(read);
    const fault =
      faultOf(line, read, event) ?? (position > last ? undefined : "stands twice, or not in the log's order");
    if (fault !== undefined) throw new ExportError(`Line ${number} of ${path} ${fault}.`);
    last = position;
    end.take(event, read);
    yield "damage" in read ? { ...event, fault: DAMAGED } : event;
  }
  if (number === 0) throw new ExportError(`${path} is empty: there is no event to check.`);
  if (!ended && !endless) throw new ExportError(NO_END(path));
}

/** Without what the line says itself, which no hash covers. */
const DAMAGED = "the store that it was exported from said that it can't be read";

const NO_END = (path: string): string =>
  `${path} does not end with its number of events and their root: its end was cut off, or an earlier release printed it (--without-end).`;

const MAX_TOLD = 40;

/** The numbers of a JSON text, as they are written. */
const numbersIn = (json: string): string[] => json.replace(/"(?:[^"\\]|\\.)*"/g, '""').match(/-?\d[\d.eE+-]*/g) ?? [];

/** An object as JSON; undefined where it is too deep. */
const reprinted = (read: Record<string, unknown>): string | undefined => {
  try {
    return JSON.stringify(read);
  } catch {
    return undefined;
  }
};

/** What is wrong with an event's line beside its hash, in words that go on from "line 1"; undefined when nothing is. */
const faultOf = (line: string, read: Record<string, unknown>, { metadata }: HashedEvent): string | undefined => {
  const unknown = Object.keys(read).find((field) => !fields.has(field));
  if (unknown !== undefined) return `has a field that no event has: ${JSON.stringify(unknown)}`;
  if (read.damage !== undefined && typeof read.damage !== "string")
    return "tells of damage otherwise than a store does";
  // What is printed by the same program has each key once, and numbers as they are read.
  if (reprinted(read) !== line) {
    const twice = doubledKey(line);
    if (twice !== undefined) return `has a key twice: ${JSON.stringify(twice)}`;
    const number = numbersIn(line).find((text) => String(Number(text)) !== text);
    if (number !== undefined) return `has a number that not all programs read alike: ${number.slice(0, MAX_TOLD)}`;
  }
  if (read.id !== metadata.eventId) return "has another id than the one that its hash covers";
  return positionOf(read) === "" ? "has no position in the log" : undefined;
};

/** As text that sorts as positions do; empty if it is no position. */
const positionOf = ({ position }: Record<string, unknown>): string => {
  try {
    return typeof position === "string" ? formatPosition(parsePosition(position)) : "";
  } catch {
    return "";
  }
};

/** What a file holds, in pieces. @throws {ExportError} where it is none that can be read. */
async function* piecesOf(path: string): AsyncGenerator<string> {
  try {
    yield* createReadStream(path, "utf8");
  } catch (error) {
    throw new ExportError(`${path} can't be read: ${error instanceof Error ? error.message : "it failed"}.`);
  }
}

/** The lines of a file; each has to end. @throws {ExportError} */
export async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of piecesOf(path)) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
    if (rest.length > MAX_LINE_LENGTH) throw new ExportError(`A line of ${path} is longer than an event can be.`);
  }
  if (rest !== "") throw new ExportError(`${path} was cut off: its last line does not end.`);
}

const hashedFrom = (read: Record<string, unknown>): HashedEvent | undefined => {
  const { stream, revision, type, data, personal, metadata } = read;
  const isEvent =
    typeof stream === "string" &&
    typeof type === "string" &&
    Number.isSafeInteger(revision) &&
    (personal === null || typeof personal === "string") &&
    typeof metadata === "object" &&
    metadata !== null;
  if (!isEvent) return undefined;
  return {
    stream,
    revision: BigInt(revision as number),
    type,
    data,
    personal,
    metadata: metadata as Record<string, unknown>,
  };
};

const objectOf = (line: string): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
};
