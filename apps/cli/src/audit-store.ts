import type { EventStore, RecordedEvent } from "@rubrica/event-store";
import { parseStreamName } from "@rubrica/events";
import { EventAuthentication, hashedForm } from "@rubrica/journal";
import type { KeyStore } from "@rubrica/storage";
import { AuditError, type LoggedEvent } from "./audit-verify.ts";

/** Goes through what the events are kept in. @throws {AuditError} when it is not whole: reads then differ. */
export const checkStore = async (events: Pick<EventStore, "faults">): Promise<void> => {
  const faults = (await events.faults?.()) ?? [];
  if (faults.length > 0) throw new AuditError(["What the events are kept in is not whole:", ...faults].join("\n"));
};

/** What the data of a stored event has. */
const FIELDS = new Set(["data", "personal"]);

/** A stored event as an audit takes it, with what is wrong beside what its hash covers. */
export const logged = (event: RecordedEvent): LoggedEvent => ({ ...hashedForm(event), fault: faultOf(event) });

/** Events whose MACs are checked together. */
const AT_ONCE = 100;
const NOT_OURS = "it is not by this service, or was changed since";

/** The same, and whether this service wrote it, by the store's own keys. */
export const authenticated = async function* (
  events: AsyncIterable<RecordedEvent>,
  keys: KeyStore,
): AsyncGenerator<LoggedEvent, void, undefined> {
  const authentication = new EventAuthentication(keys);
  const checked = async (batch: readonly RecordedEvent[]): Promise<LoggedEvent[]> => {
    const { isAuthentic } = await authentication.of(batch);
    return batch.map((event) => {
      const found = logged(event);
      return found.fault !== undefined || isAuthentic(event) ? found : { ...found, fault: NOT_OURS };
    });
  };
  let batch: RecordedEvent[] = [];
  for await (const event of events) {
    if (batch.push(event) < AT_ONCE) continue;
    yield* await checked(batch);
    batch = [];
  }
  yield* await checked(batch);
};

const faultOf = ({ id, data, metadata, damage }: RecordedEvent): string | undefined => {
  if (damage !== undefined) return damage;
  if (id !== metadata.eventId) return "it has another id than the one that its hash covers";
  const unknown = Object.keys(data).find((field) => !FIELDS.has(field));
  if (unknown !== undefined) return `it has a field that no event has: ${JSON.stringify(unknown)}`;
  const { personal = null } = data;
  return personal === null || typeof personal === "string" ? undefined : "its personal part is none";
};

/** The service's own events: a server of EventStoreDB may hold other programs' events as well, which are left out. */
export const ownEvents = async function* (
  log: Pick<EventStore, "readAll">,
): AsyncGenerator<RecordedEvent, void, undefined> {
  for await (const event of log.readAll()) if (parseStreamName(event.stream)) yield event;
};
