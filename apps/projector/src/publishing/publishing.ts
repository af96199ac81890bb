import { obligationSubject } from "@rubrica/domain";
import { BusFullError, type JsonValue, type MessageBus } from "@rubrica/message-bus";
import { laneOf, type OwedRecord } from "@rubrica/read-models";
import { intervalAt } from "./schedule.ts";
import type { Slots } from "./slots.ts";

/** What became of an obligation that was to be published. "published" also where it is under way already. */
export type Outcome = "published" | "no_slot" | "bus_full";

/**
 * Publishes an obligation for the interval that it is now, `sinceDueMs` after it fell due. Its message's id is the
 * obligation, its due time and the interval's number: whoever publishes it again within the interval, another publisher
 * or this one after a restart, gives the same id, which a bus drops.
 * @throws whatever a bus throws that can't be reached.
 */
export const publishOne = async (
  { bus, slots }: { bus: Pick<MessageBus, "publish">; slots: Slots },
  record: OwedRecord,
  sinceDueMs: number,
  nowMs: number,
): Promise<Outcome> => {
  const { due: _due, ...published } = record;
  const { obligation } = published;
  const lane = laneOf(record);
  const { id, kind, dueAt } = obligation;
  const { number } = intervalAt(sinceDueMs);
  if (slots.has(id, dueAt, number)) return "published";
  if (!slots.holds(id) && slots.free(kind, lane) <= 0) return "no_slot";
  try {
    const body = published as unknown as JsonValue;
    await bus.publish({ id: `${id}@${dueAt}#${number}`, subject: obligationSubject(kind), body });
  } catch (error) {
    if (error instanceof BusFullError) return "bus_full";
    throw error;
  }
  slots.take(id, { kind, lane, dueAt, number }, nowMs);
  return "published";
};
