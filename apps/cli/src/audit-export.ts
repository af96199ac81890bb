import { createReadStream } from "node:fs";
import { formatPosition, type RecordedEvent } from "@rubrica/event-store";
import type { HashedEvent } from "@rubrica/events";
import { hashedForm } from "@rubrica/journal";

/** Of one line, in characters: an append holds 1 MB, and JSON may escape what it holds. */
const MAX_LINE_LENGTH = 8_388_608;

/** A file is not what `audit export` prints; names the line. */
export class ExportError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ExportError";
  }
}

/** An event as one line of JSON: where it stands, and what its hash covers, by the names that it is hashed under. */
export const exportLine = (recorded: RecordedEvent): string => {
  const { position, id, damage } = recorded;
  const { revision, ...hashed } = hashedForm(recorded);
  return JSON.stringify({ position: formatPosition(position), id, ...hashed, revision: Number(revision), damage });
};

/**
 * The events of an export.
 * @throws {ExportError} at the first line that is none of an export's.
 */
export async function* readExport(path: string): AsyncGenerator<HashedEvent> {
  let number = 0;
  for await (const line of linesOf(path)) {
    number += 1;
    if (line.trim() === "") continue;
    const event = hashedFrom(line);
    if (!event) throw new ExportError(`Line ${number} of ${path} is no event as \`rubrica audit export\` prints it.`);
    yield event;
  }
}

async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of createReadStream(path, "utf8")) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
    if (rest.length > MAX_LINE_LENGTH) throw new ExportError(`A line of ${path} is longer than an event can be.`);
  }
  if (rest !== "") yield rest;
}

const hashedFrom = (line: string): HashedEvent | undefined => {
  const { stream, revision, type, data, personal, metadata } = objectOf(line);
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
