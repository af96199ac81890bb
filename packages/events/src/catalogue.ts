import { type AccountEvent, accountEvents } from "./account.ts";
import { type BulkEvent, bulkEvents } from "./bulk.ts";
import type { EventContent, EventDefinition } from "./define.ts";
import { type DeliveryEvent, deliveryEvents } from "./delivery.ts";
import { type DocumentEvent, documentEvents } from "./document/index.ts";
import { type HeadsEvent, headsEvents } from "./heads.ts";
import { type NoticesEvent, noticesEvents } from "./notices.ts";
import { type PhoneLineEvent, phoneLineEvents } from "./phone-line.ts";
import { type RequestEvent, requestEvents } from "./request.ts";
import type { StreamKind } from "./streams.ts";

/** Any event of the domain. */
export type DomainEvent =
  | DocumentEvent
  | PhoneLineEvent
  | AccountEvent
  | BulkEvent
  | RequestEvent
  | DeliveryEvent
  | NoticesEvent
  | HeadsEvent;

/** Every event there is, by the kind of stream that it lives in. */
export const catalogue: Readonly<Record<StreamKind, readonly EventDefinition[]>> = {
  document: documentEvents,
  phoneLine: phoneLineEvents,
  account: accountEvents,
  bulk: bulkEvents,
  request: requestEvents,
  delivery: deliveryEvents,
  notices: noticesEvents,
  heads: headsEvents,
};

const byType = new Map(
  Object.values(catalogue)
    .flat()
    .map((definition) => [definition.type, definition]),
);

/** An event's content is not what its schema says. Names the fields, never their values. */
export class EventSchemaError extends Error {
  constructor(type: string, fields: readonly string[]) {
    super(`${type} does not fit its schema: ${fields.join(", ")}`);
    this.name = "EventSchemaError";
  }
}

/** The definition of a stored name. @throws {EventSchemaError} when there is none. */
export const definitionOf = (type: string): EventDefinition => {
  const definition = byType.get(type);
  if (!definition) throw new EventSchemaError(type, ["unknown type"]);
  return definition;
};

/** The schema version of a stored name that is known here; undefined when the name is unknown. */
export const knownVersionOf = (type: string): number | undefined => byType.get(type)?.version;

/** Whether an event of that name always has a personal part, as long as its owner's key is there. */
export const hasAlwaysPersonal = (type: string): boolean => {
  const definition = byType.get(type);
  return definition !== undefined && definition.personal !== null && !definition.mayLackPersonal;
};

const check = (definition: EventDefinition, part: "data" | "personal", value: unknown): Record<string, unknown> => {
  const schema = definition[part];
  const parsed = schema?.safeParse(value);
  if (parsed?.success) return parsed.data;
  const fields = parsed?.error.issues.map(({ path }) => [part, ...path].join(".")) ?? [part];
  throw new EventSchemaError(definition.type, fields);
};

/**
 * Checks an event on its way into the store.
 * @throws {EventSchemaError} when it does not fit, personal part included.
 */
export const checkedForStoring = (event: DomainEvent): EventContent => {
  const definition = definitionOf(event.type);
  const data = check(definition, "data", event.data);
  if (!definition.personal) {
    if (event.personal !== null) throw new EventSchemaError(event.type, ["personal"]);
    return { data, personal: null };
  }
  if (event.personal === null && definition.mayLackPersonal) return { data, personal: null };
  return { data, personal: check(definition, "personal", event.personal) };
};

/** Brings content of an older version to the definition's, step by step. @throws {EventSchemaError} for a newer one. */
export const upcast = (definition: EventDefinition, content: EventContent, fromVersion: number): EventContent => {
  let current = content;
  for (let version = fromVersion; version !== definition.version; version++) {
    const step = definition.upcasts[version];
    if (!step) throw new EventSchemaError(definition.type, [`version ${fromVersion}`]);
    current = step(current);
  }
  return current;
};

/**
 * An event as the domain knows it, from what was stored: upcast, then checked.
 * @throws {EventSchemaError} when it does not fit.
 */
export const restored = (type: string, content: EventContent, schemaVersion: number): DomainEvent => {
  const definition = definitionOf(type);
  const current = upcast(definition, content, schemaVersion);
  const data = check(definition, "data", current.data);
  const personal = current.personal === null ? null : check(definition, "personal", current.personal);
  return { type, data, personal } as DomainEvent;
};
