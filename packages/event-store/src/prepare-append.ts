import { AppendTooLargeError, type ExpectedRevision, MAX_APPEND_BYTES, type NewEvent } from "./port.ts";

/** An event in the form in which it is stored: its JSON as text. */
export interface StoredForm {
  id: string;
  type: string;
  data: string;
  metadata: string;
}

/** An append that was checked; a later change to the caller's objects no longer reaches it. */
export interface PreparedAppend {
  stream: string;
  expected: ExpectedRevision;
  events: StoredForm[];
  sizeBytes: number;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const MAX_NAME_CHARACTERS = 1000;

// "$" marks EventStoreDB's own streams and types. What UTF-8 can't hold would come back as another name.
const checkName = (what: string, name: string): void => {
  const sound = name.length > 0 && name.length <= MAX_NAME_CHARACTERS && name.isWellFormed() && !name.includes("\0");
  if (!sound || name.startsWith("$")) {
    throw new TypeError(`${what} must be 1 to ${MAX_NAME_CHARACTERS} characters of text and not start with "$"`);
  }
};

const toStoredForm = (event: NewEvent): StoredForm => {
  if (!UUID.test(event.id)) throw new TypeError("an event's id must be a UUID");
  checkName("an event's type", event.type);
  return {
    id: event.id.toLowerCase(),
    type: event.type,
    data: JSON.stringify(event.data),
    metadata: JSON.stringify(event.metadata),
  };
};

// EventStoreDB counts an event's type at two bytes a character beside its data and metadata.
const sizeOf = (event: StoredForm): number =>
  Buffer.byteLength(event.data) + Buffer.byteLength(event.metadata) + 2 * event.type.length;

/**
 * Checks what callers hand to `append`, so that every engine refuses the same things before anything is sent:
 * EventStoreDB's batch path is wedged for good by an invalid id or an empty type.
 * @throws {AppendTooLargeError} when the events together exceed {@link MAX_APPEND_BYTES}.
 * @throws {TypeError} when a name, an id, the expected revision or the JSON is not one, or there is no event.
 */
export const prepareAppend = (
  stream: string,
  expected: ExpectedRevision,
  events: readonly NewEvent[],
): PreparedAppend => {
  checkName("a stream's name", stream);
  if (expected !== "no_stream" && expected < 0n) throw new TypeError("an expected revision is never negative");
  if (events.length === 0) throw new TypeError("an append needs at least one event");
  const stored: StoredForm[] = [];
  let sizeBytes = 0;
  for (const event of events) {
    const form = toStoredForm(event);
    sizeBytes += sizeOf(form);
    stored.push(form);
  }
  if (sizeBytes > MAX_APPEND_BYTES) throw new AppendTooLargeError(sizeBytes);
  return { stream, expected, events: stored, sizeBytes };
};
