import type { KeyObject } from "node:crypto";
import type { JsonObject, NewEvent, RecordedEvent } from "@rubrica/event-store";
import {
  checkedForStoring,
  type DomainEvent,
  definitionOf,
  EventMetadata,
  eventHash,
  eventIdOf,
  GENESIS_HASH,
  type HashedEvent,
  parseStreamName,
  restored,
} from "@rubrica/events";
import { isoTime, type Random } from "@rubrica/runtime";
import type { JournalEvent } from "./event.ts";
import { decryptPersonal, encryptPersonal } from "./personal-cipher.ts";

/** What a command says of itself; its events carry it. */
export interface CommandContext {
  /** The same command repeated has the same id: its events get the same ids. */
  commandId: string;
  accountId: string;
  /** `integrator`, `signer`, `operator`, `provider` or `service/{subscriber}`. */
  actor: string;
  correlationId: string;
  causationId: string;
}

/** The end of a stream: what the next event is chained to. */
export interface StreamEnd {
  revision: bigint;
  at: string;
  hash: string;
}

/** Whose key encrypts a stream's personal parts: the id in its name. */
export const ownerOf = (stream: string): string => {
  const name = parseStreamName(stream);
  if (!name) throw new Error("not a stream of Rubrica's");
  return name.id;
};

const placeOf = (stream: string, eventId: string): string => `${stream}/${eventId}`;

/** Events as they are stored: checked, encrypted, chained to the stream's end. `at` never goes back within the stream. */
export const toStored = (
  stream: string,
  end: StreamEnd | undefined,
  events: readonly DomainEvent[],
  context: CommandContext,
  given: { nowMs: number; random: Random; ownerKey: KeyObject | undefined },
): NewEvent[] => {
  const now = isoTime(given.nowMs);
  const at = end && end.at > now ? end.at : now;
  let previousHash = end?.hash ?? GENESIS_HASH;
  let revision = end ? end.revision + 1n : 0n;
  return events.map((event, index) => {
    const id = eventIdOf(context.commandId, index);
    const content = checkedForStoring(event);
    const personal =
      content.personal && given.ownerKey
        ? encryptPersonal(given.ownerKey, placeOf(stream, id), content.personal, given.random)
        : null;
    const metadata = {
      eventId: id,
      accountId: context.accountId,
      at,
      actor: context.actor,
      correlationId: context.correlationId,
      causationId: context.causationId,
      schemaVersion: definitionOf(event.type).version,
    };
    const hash = eventHash(
      { stream, revision, type: event.type, data: content.data, personal, metadata },
      previousHash,
    );
    const stored = {
      id,
      type: event.type,
      data: { data: content.data as JsonObject, personal },
      metadata: { ...metadata, hash, previousHash },
    };
    previousHash = hash;
    revision += 1n;
    return stored;
  });
};

/** An event of the domain, from what was stored. Without the owner's key its `personal` is null. */
export const fromStored = (recorded: RecordedEvent, ownerKey: KeyObject | undefined): JournalEvent => {
  const name = parseStreamName(recorded.stream);
  if (!name) throw new Error("not a stream of Rubrica's");
  const metadata = EventMetadata.parse(recorded.metadata);
  const { data, personal } = recorded.data as { data: Record<string, unknown>; personal: string | null };
  const content = {
    data,
    personal:
      personal !== null && ownerKey ? decryptPersonal(ownerKey, placeOf(recorded.stream, recorded.id), personal) : null,
  };
  return {
    ...restored(recorded.type, content, metadata.schemaVersion),
    id: recorded.id,
    stream: recorded.stream,
    streamKind: name.kind,
    streamId: name.id,
    revision: recorded.revision,
    position: recorded.position,
    metadata,
  };
};

/** Whether an event as stored bears a personal part. */
export const hasPersonal = (recorded: RecordedEvent): boolean => recorded.data.personal !== null;

/** An event as it is stored, in the form that its hash covers. */
export const hashedForm = ({ stream, revision, type, data, metadata }: RecordedEvent): HashedEvent => ({
  stream,
  revision,
  type,
  data: data.data,
  personal: typeof data.personal === "string" ? data.personal : null,
  metadata,
});
