import {
  AppendTooLargeError,
  ConflictError,
  type EventStore,
  type ExpectedRevision,
  type NewEvent,
  type StreamEnd,
} from "@rubrica/event-store";

/** What an appender may expect of a stream in EventStoreDB. */
export type Expected = ExpectedRevision | "any" | "stream_exists";

/** An event as it comes over the wire. */
export interface ProposedEvent {
  id: string;
  type: string;
  contentType: string;
  data: Uint8Array;
  metadata: Uint8Array;
}

/** What became of an append. */
export type Appended =
  | { outcome: "appended"; end: StreamEnd }
  | { outcome: "wrong_expected_revision"; current: ExpectedRevision }
  | { outcome: "too_large" }
  | { outcome: "invalid"; reason: string };

/** All events of an append together: each one's data and metadata, and two bytes a character of its type. */
export const MAX_APPEND_SIZE = 1_048_576;

const objectIn = (bytes: Uint8Array): NewEvent["data"] => {
  const value: unknown = bytes.length === 0 ? {} : JSON.parse(Buffer.from(bytes).toString("utf8"));
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new TypeError("not an object");
  return value as NewEvent["data"];
};

const toNewEvent = ({ id, type, contentType, data, metadata }: ProposedEvent): NewEvent => {
  if (contentType !== "application/json") throw new TypeError("the double stores JSON objects alone");
  return { id, type, data: objectIn(data), metadata: objectIn(metadata) };
};

const sizeOf = (events: readonly ProposedEvent[]): number =>
  events.reduce((sum, { type, data, metadata }) => sum + data.length + metadata.length + 2 * type.length, 0);

/** With `any` only what the latest events are is recognized when it comes again. */
const isLatest = async (store: EventStore, stream: string, end: StreamEnd, events: readonly NewEvent[]) => {
  const from = end.revision - BigInt(events.length) + 1n;
  if (from < 0n) return false;
  const ids: string[] = [];
  for await (const { id } of store.readStream(stream, from)) ids.push(id);
  return ids.length === events.length && ids.every((id, index) => id === events[index]?.id);
};

/** Appends on whatever the stream's end is, until nobody else comes first. */
const appendAnyhow = async (store: EventStore, stream: string, expected: Expected, events: readonly NewEvent[]) => {
  for (;;) {
    const end = await store.streamEnd(stream);
    if (!end && expected === "stream_exists") return undefined;
    if (end && (await isLatest(store, stream, end, events))) return end;
    try {
      return await store.append(stream, end?.revision ?? "no_stream", events);
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
    }
  }
};

/** Appends as EventStoreDB does, to the embedded store. */
export const appendTo = async (
  store: EventStore,
  stream: string,
  expected: Expected,
  proposed: readonly ProposedEvent[],
): Promise<Appended> => {
  if (sizeOf(proposed) > MAX_APPEND_SIZE) return { outcome: "too_large" };
  try {
    const events = proposed.map(toNewEvent);
    const end =
      expected === "any" || expected === "stream_exists"
        ? await appendAnyhow(store, stream, expected, events)
        : await store.append(stream, expected, events);
    return end ? { outcome: "appended", end } : { outcome: "wrong_expected_revision", current: "no_stream" };
  } catch (error) {
    if (error instanceof ConflictError) return { outcome: "wrong_expected_revision", current: error.actual };
    if (error instanceof AppendTooLargeError) return { outcome: "too_large" };
    if (error instanceof TypeError || error instanceof SyntaxError)
      return { outcome: "invalid", reason: error.message };
    throw error;
  }
};
