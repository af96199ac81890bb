import type { KeyObject } from "node:crypto";
import type { JsonObject, NewEvent, RecordedEvent } from "@rubrica/event-store";
import {
  checkedForStoring,
  type DomainEvent,
  definitionOf,
  type EventMetadata,
  eventHash,
  eventIdOf,
  GENESIS_HASH,
  type HashedEvent,
  hasAlwaysPersonal,
  parseStreamName,
  type StreamKind,
} from "@rubrica/events";
import { isoTime, type Random } from "@rubrica/runtime";
import { macOf } from "./authentication.ts";
import { encryptPersonal } from "./personal-cipher.ts";

/** What a command says of itself; its events carry it. */
export interface CommandContext {
  /** The command's identity: the same each time that it is given. An obligation's id, or a request's. */
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

/** A stream's name, taken apart. @throws {Error} when it is not one of Rubrica's. */
export const placed = (stream: string): { kind: StreamKind; id: string } => {
  const name = parseStreamName(stream);
  if (!name) throw new Error("not a stream of Rubrica's");
  return name;
};

/** Whose key encrypts a stream's personal parts: the id in its name. */
export const ownerOf = (stream: string): string => placed(stream).id;

const NONCE_BYTES = 16;

/** An event on its way into the store: as it will be stored, and as the domain will know it. */
export interface EventToStore {
  stored: NewEvent;
  event: DomainEvent;
  metadata: EventMetadata;
}

/**
 * Events as they are stored: checked, authenticated, encrypted, chained to the stream's end, under ids that no other append
 * has. `at` never goes back within the stream.
 */
export const toStored = (
  stream: string,
  end: StreamEnd | undefined,
  events: readonly DomainEvent[],
  context: CommandContext,
  given: { nowMs: number; random: Random; ownerKey: KeyObject | undefined; macKey: KeyObject },
): EventToStore[] => {
  // One nonce for the whole append: an engine that repeats the append, because the answer was lost, repeats the same
  // events.
  const nonce = given.random.bytes(NONCE_BYTES).toString("hex");
  const now = isoTime(given.nowMs);
  const at = end && end.at > now ? end.at : now;
  let previousHash = end?.hash ?? GENESIS_HASH;
  let revision = end ? end.revision + 1n : 0n;
  return events.map((event, index) => {
    const id = eventIdOf(context.commandId, index, nonce);
    const content = checkedForStoring(event);
    const bare = { stream, revision, type: event.type, data: content.data };
    const said = {
      eventId: id,
      accountId: context.accountId,
      at,
      actor: context.actor,
      correlationId: context.correlationId,
      causationId: context.causationId,
      schemaVersion: definitionOf(event.type).version,
    };
    const { ownerKey } = given;
    const hasPersonal = content.personal !== null && ownerKey !== undefined;
    const mac = macOf(given.macKey, { ...bare, metadata: { ...said, previousHash }, hasPersonal });
    const unhashed = { ...said, mac };
    const bound = boundTo({ ...bare, metadata: { ...unhashed, previousHash } });
    const personal = hasPersonal ? encryptPersonal(ownerKey, bound, content.personal, given.random) : null;
    const hash = eventHash({ ...bare, personal, metadata: unhashed }, previousHash);
    const metadata = { ...unhashed, hash, previousHash };
    const data = { data: content.data as JsonObject, personal };
    previousHash = hash;
    revision += 1n;
    return {
      stored: { id, type: event.type, data, metadata },
      event: { type: event.type, ...content } as DomainEvent,
      metadata,
    };
  });
};

/**
 * What an event's personal part is bound to, as JSON: all else of it, and by the previous event's hash all that its stream
 * holds before. Keys stay in their order in every store; a canonical form would take longer than all else of reading.
 */
export const boundTo = ({ stream, revision, type, data, metadata }: Omit<HashedEvent, "personal">): string => {
  const { hash: _hash, ...others } = metadata;
  return JSON.stringify([stream, Number(revision), type, data, others]);
};

/** Whether an event as stored has a personal part. */
export const hasPersonal = ({ data }: RecordedEvent): boolean => data.personal !== undefined && data.personal !== null;

/** Whether an event as stored has a personal part, or should have one. */
export const mayHavePersonal = (event: RecordedEvent): boolean => hasPersonal(event) || hasAlwaysPersonal(event.type);

/** An event as it is stored, in the form that its hash covers. */
export const hashedForm = ({ stream, revision, type, data, metadata }: RecordedEvent): HashedEvent => ({
  stream,
  revision,
  type,
  data: data.data,
  personal: typeof data.personal === "string" ? data.personal : null,
  metadata,
});
