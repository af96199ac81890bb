import type { ResolvedEvent } from "@eventstore/db-client";
import type { JsonObject, Position, RecordedEvent } from "../port.ts";

/** What the client parsed, when it is an object; what it can't parse comes as text, or as bytes. */
const objectIn = (value: unknown): JsonObject | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
    ? (value as JsonObject)
    : undefined;

/** Where the event stands among all. */
export const positionIn = ({ event, commitPosition }: ResolvedEvent): Position | undefined =>
  event?.position ?? (commitPosition === undefined ? undefined : { commit: commitPosition, prepare: commitPosition });

/** The event as it was stored; undefined for a link whose event is gone. */
export const toRecorded = (resolved: ResolvedEvent): RecordedEvent | undefined => {
  const { event } = resolved;
  const position = positionIn(resolved);
  if (!event || !position) return undefined;
  const data = objectIn(event.data);
  const metadata = objectIn(event.metadata);
  const { id, type, streamId: stream, revision } = event;
  const recorded = { id, type, data: data ?? {}, metadata: metadata ?? {}, stream, revision, position };
  if (data && metadata) return recorded;
  const what = [data ? [] : ["data"], metadata ? [] : ["metadata"]].flat().join(" and ");
  return { ...recorded, damage: `its ${what} can't be read as JSON` };
};
