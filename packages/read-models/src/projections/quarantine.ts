import type { UnreadableEvent } from "@rubrica/journal";
import type { Projection } from "../projection.ts";
import { type SetAsideRecord, setAsideRecord } from "../set-aside.ts";

/** The field by which all of them are found, in the order of their names. */
export const QUARANTINE_STREAM_FIELD = "stream";

/** The field by which those are found of which no `id_custom` is known, by {@link unnamedKey}. */
export const QUARANTINE_UNNAMED_FIELD = "unnamed";

/** An account's documents of which nothing can be read are named by it and their stream; null: nobody knows whose they are. */
export const unnamedKey = (accountId: string | null, stream: string): string => `${accountId ?? "?"}/${stream}`;

/** A stream that is set aside, as it is listed. */
export type QuarantineRecord = SetAsideRecord & { unnamed: string | null };

const recordOf = (event: UnreadableEvent): QuarantineRecord => {
  const isUnnamed = event.streamKind === "document" && event.revision === 0n;
  return { ...setAsideRecord(event), unnamed: isUnnamed ? unnamedKey(event.accountId, event.stream) : null };
};

/** Every stream that is set aside, as the operator is told of it. A record's id is the stream's name. */
export const quarantine: Projection<QuarantineRecord> = {
  name: "quarantine",
  version: 1,
  indexes: [{ field: QUARANTINE_STREAM_FIELD }, { field: QUARANTINE_UNNAMED_FIELD }],
  keysOf: () => [],
  project: (record) => record,
  setAside: {
    keysOf: ({ stream }) => [stream],
    project: (record, event) => record ?? recordOf(event),
  },
};
