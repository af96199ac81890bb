import { type DomainEvent, definitionOf, GENESIS_HASH, type StreamKind, sample, streamName } from "@rubrica/events";
import type { JournalEvent } from "@rubrica/journal";
import type { Projection, ReadModelDocument } from "@rubrica/read-models";

type EventType = DomainEvent["type"];
type EventNamed<T extends EventType> = Extract<DomainEvent, { type: T }>;

/** What a test sets of an event; the rest is the catalogue's example. */
export interface Given<T extends EventType> {
  data?: Partial<EventNamed<T>["data"]>;
  personal?: Partial<NonNullable<EventNamed<T>["personal"]>> | null;
  at?: string;
  accountId?: string;
}

const streamKindOf = (type: EventType): StreamKind => {
  if (type.startsWith("Turn")) return "phoneLine";
  return type.startsWith("Webhook") && type !== "WebhookSecretIssued" ? "delivery" : "document";
};

/** Events as the journal gives them, made by hand: one after the other, a second apart. */
export class History {
  readonly events: JournalEvent[] = [];
  readonly #revisions = new Map<string, bigint>();

  /** One more event; of the sample document unless another stream is named. */
  add<T extends EventType>(type: T, given: Given<T> = {}, stream?: { kind: StreamKind; id: string }): JournalEvent {
    const { example } = definitionOf(type);
    const kind = stream?.kind ?? streamKindOf(type);
    const streamId = stream?.id ?? (kind === "phoneLine" ? sample.lineId : sample.documentId);
    const name = streamName(kind, streamId);
    const revision = (this.#revisions.get(name) ?? -1n) + 1n;
    this.#revisions.set(name, revision);
    const number = this.events.length + 1;
    const event = {
      type,
      data: { ...example.data, ...given.data },
      personal: given.personal === null ? null : example.personal && { ...example.personal, ...given.personal },
      id: `019aa5c0-0000-5000-8000-${number.toString().padStart(12, "0")}`,
      stream: name,
      streamKind: kind,
      streamId,
      revision,
      position: { commit: BigInt(number * 100), prepare: BigInt(number * 100) },
      metadata: {
        eventId: `019aa5c0-0000-5000-8000-${number.toString().padStart(12, "0")}`,
        accountId: given.accountId ?? sample.accountId,
        at: given.at ?? `2026-11-21T15:00:${number.toString().padStart(2, "0")}.500Z`,
        actor: "service/test",
        correlationId: "c",
        causationId: "c",
        schemaVersion: 1,
        hash: sample.sha256,
        previousHash: GENESIS_HASH,
      },
    } as unknown as JournalEvent;
    this.events.push(event);
    return event;
  }
}

/** What a projection makes of events, one document after the other. */
export const projected = <D extends ReadModelDocument>(
  projection: Projection<D>,
  events: readonly JournalEvent[],
): Map<string, D> => {
  const documents = new Map<string, D>();
  for (const event of events) {
    for (const id of projection.keysOf(event)) {
      const next = projection.project(documents.get(id) ?? null, event, id);
      if (next) documents.set(id, next);
      else documents.delete(id);
    }
  }
  return documents;
};

/** The sample document's record. @throws when the projection made none. */
export const ofSample = <D extends ReadModelDocument>(projection: Projection<D>, history: History): D => {
  const document = projected(projection, history.events).get(sample.documentId);
  if (!document) throw new Error("no record");
  return document;
};
