import { namedSigners } from "@rubrica/events";
import type { JournalEvent } from "@rubrica/journal";
import type { Collection } from "../port.ts";
import type { Projection } from "../projection.ts";

/** Which signer an integrator's own id means: the one of the newest document that has it. */
export type CustomIdRecord = { documentId: string; signerId: string; requestedAt: string };

/** A record's id: ids of the integrator's making may be phones or ID numbers, and are told apart by account. */
export type CustomIdHmac = (accountId: string, idCustom: string) => string;

/** Signers by the HMAC of account and `id_custom`. */
export const customIds: Collection<CustomIdRecord> = { name: "custom-ids", version: 2, indexes: [] };

/** The signers that an event tells of, by their records' ids; the first of those that share one. */
const signersIn = (event: JournalEvent, hmacOf: CustomIdHmac): ReadonlyMap<string, CustomIdRecord> => {
  const { accountId, at } = event.metadata;
  const documentId = event.streamId;
  const found = new Map<string, CustomIdRecord>();
  const add = (id: string, signerId: string, requestedAt: string) => {
    if (!found.has(id)) found.set(id, { documentId, signerId, requestedAt });
  };
  if (event.type === "DocumentRequested")
    for (const { signerId, person } of namedSigners(event))
      if (person) add(hmacOf(accountId, person.idCustom), signerId, at);
  if (event.type === "DocumentErased")
    for (const { signerId, hmac } of event.data.customIds) add(hmac, signerId, event.data.requestedAt);
  return found;
};

/** Made from requests; of an erased document, whose request tells no ids any more, from what its erasure kept of them. */
export const customIdsBy = (hmacOf: CustomIdHmac): Projection<CustomIdRecord> => ({
  ...customIds,
  keysOf: (event) => [...signersIn(event, hmacOf).keys()],
  project: (record, event, id) => {
    const found = signersIn(event, hmacOf).get(id);
    if (!found) return record;
    // An erasure comes late: another document may have been asked for with that id since.
    return event.type === "DocumentErased" && record && record.requestedAt >= found.requestedAt ? record : found;
  },
});
