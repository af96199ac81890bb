import type { RecordedEvent } from "@rubrica/event-store";
import { hashedForm } from "@rubrica/journal";
import type { LoggedEvent } from "./audit-verify.ts";

/** What the data of a stored event has. */
const FIELDS = new Set(["data", "personal"]);

/** A stored event as an audit takes it, with what is wrong beside what its hash covers. */
export const logged = (event: RecordedEvent): LoggedEvent => ({ ...hashedForm(event), fault: faultOf(event) });

const faultOf = ({ id, data, metadata, damage }: RecordedEvent): string | undefined => {
  if (damage !== undefined) return damage;
  if (id !== metadata.eventId) return "it has another id than the one that its hash covers";
  const unknown = Object.keys(data).find((field) => !FIELDS.has(field));
  if (unknown !== undefined) return `it has a field that no event has: ${JSON.stringify(unknown)}`;
  const { personal = null } = data;
  return personal === null || typeof personal === "string" ? undefined : "its personal part is none";
};
