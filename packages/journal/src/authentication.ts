import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from "node:crypto";
import type { EventStore, RecordedEvent } from "@rubrica/event-store";
import { type HashedEvent, headText, MerkleTree } from "@rubrica/events";
import type { KeyStore, KnownEnd } from "@rubrica/storage";
import { LRUCache } from "lru-cache";
import { hasPersonal } from "./stored-event.ts";

/** Whose key it is in the key store. No stream has such an id, so that it is never erased. */
const AUTHENTICATION_OWNER = "service/events";
/** Of HMAC-SHA256: what a forger would have to guess. */
const MAC_BYTES = 16;
/** Streams of former releases whose ends are remembered. */
const MAX_REMEMBERED = 20_000;

/** What an event's MAC is over: an event as it is stored, but for what its personal part holds, which its own key authenticates. */
export type AuthenticatedEvent = Omit<HashedEvent, "personal"> & { hasPersonal: boolean };

const authenticatedForm = ({ stream, revision, type, data, metadata, hasPersonal }: AuthenticatedEvent): string => {
  const { mac: _mac, hash: _hash, ...others } = metadata;
  return JSON.stringify([stream, Number(revision), type, data, others, hasPersonal]);
};

/**
 * The MAC of an event (base64url): who can write to the event store alone can make none. By the previous event's hash, which
 * its metadata names, it is one of its place.
 */
export const macOf = (key: KeyObject, event: AuthenticatedEvent): string =>
  createHmac("sha256", key).update(authenticatedForm(event)).digest().subarray(0, MAC_BYTES).toString("base64url");

/** Whether a stored event has the MAC that this service alone can make. What is too deep to be gone through has none. */
const hasItsMac = (key: KeyObject, recorded: RecordedEvent): boolean => {
  const found = Buffer.from(String(recorded.metadata.mac));
  try {
    const event = { ...recorded, data: recorded.data.data, hasPersonal: hasPersonal(recorded) };
    const expected = Buffer.from(macOf(key, event));
    return found.length === expected.length && timingSafeEqual(found, expected);
  } catch {
    return false;
  }
};

const hasMac = ({ metadata }: RecordedEvent): boolean => metadata.mac !== undefined;

/** Makes the key, and notes of a log that has no events yet that all will be authenticated. Repeatable. */
export const prepareAuthentication = async (
  events: Pick<EventStore, "lastPosition">,
  keys: Pick<KeyStore, "obtain" | "log">,
): Promise<void> => {
  await keys.obtain(AUTHENTICATION_OWNER);
  const { former } = keys.log;
  if ((await former.head()) !== undefined || (await events.lastPosition())) return;
  const tree = new MerkleTree();
  await former.note(headText({ size: tree.size, root: tree.root() }), []);
};

/** What tells of some events whether this service wrote them. */
export interface Authentication {
  isAuthentic(event: RecordedEvent): boolean;
}

/**
 * Tells events that this service wrote from those that somebody wrote who can write to the event store alone. Events of
 * releases before December 2026 have no MAC: a stream may hold such ones up to where it ended when all later ones had one,
 * which is noted beside the keys.
 */
export class EventAuthentication {
  readonly #keys: Pick<KeyStore, "obtain" | "log">;
  #key: Promise<KeyObject> | undefined;
  /** Whether it is known where streams ended: it stays so. */
  #isNoted = false;
  readonly #ends = new LRUCache<string, { end: KnownEnd | undefined }>({ max: MAX_REMEMBERED });

  constructor(keys: Pick<KeyStore, "obtain" | "log">) {
    this.#keys = keys;
  }

  /** The key that events are authenticated with; made at the first use. @throws {KeyUnreadableError} */
  key(): Promise<KeyObject> {
    this.#key ??= this.#derived().catch((error: unknown) => {
      this.#key = undefined;
      throw error;
    });
    return this.#key;
  }

  /** @throws {KeyUnreadableError} */
  async of(events: readonly RecordedEvent[]): Promise<Authentication> {
    const key = await this.key();
    const former = new Map<string, KnownEnd | undefined>();
    const mayBeFormer = !(await this.#isEnforced(events));
    if (!mayBeFormer)
      for (const { stream } of events.filter((event) => !hasMac(event)))
        if (!former.has(stream)) former.set(stream, await this.#formerEnd(stream));
    return {
      isAuthentic(event) {
        if (hasMac(event)) return hasItsMac(key, event);
        return mayBeFormer || isUpTo(former.get(event.stream), event);
      },
    };
  }

  async #isEnforced(events: readonly RecordedEvent[]): Promise<boolean> {
    if (!this.#isNoted && events.some((event) => !hasMac(event)))
      this.#isNoted = (await this.#keys.log.former.head()) !== undefined;
    return this.#isNoted;
  }

  async #formerEnd(stream: string): Promise<KnownEnd | undefined> {
    const known = this.#ends.get(stream) ?? { end: await this.#keys.log.former.end(stream) };
    this.#ends.set(stream, known);
    return known.end;
  }

  async #derived(): Promise<KeyObject> {
    const key = await this.#keys.obtain(AUTHENTICATION_OWNER);
    return createSecretKey(new Uint8Array(hkdfSync("sha256", key, "", "rubrica/event-mac/v1", 32)));
  }
}

/** Whether an event without a MAC is one that stood there, or before, when all later ones had one. */
const isUpTo = (end: KnownEnd | undefined, { revision, metadata }: RecordedEvent): boolean =>
  end !== undefined && (revision < end.revision || (revision === end.revision && metadata.hash === end.hash));
