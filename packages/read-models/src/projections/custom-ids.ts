import type { Projection } from "../projection.ts";

/** Which signer an integrator's own id means: the one of the newest document that has it. */
export type CustomIdRecord = { documentId: string; signerId: string; requestedAt: string };

/** The record's id: ids of the integrator's making are told apart by account. */
export const customIdKey = (accountId: string, idCustom: string): string => `${accountId}/${idCustom}`;

/** Signers by account and `id_custom`. */
export const customIds: Projection<CustomIdRecord> = {
  name: "custom-ids",
  indexes: [],
  keysOf: (event) => {
    if (event.type !== "DocumentRequested" || !event.personal) return [];
    const { accountId } = event.metadata;
    return [...new Set(event.personal.signers.map(({ idCustom }) => customIdKey(accountId, idCustom)))];
  },
  project: (record, event, id) => {
    if (event.type !== "DocumentRequested" || !event.personal) return record;
    const { accountId, at } = event.metadata;
    const index = event.personal.signers.findIndex(({ idCustom }) => customIdKey(accountId, idCustom) === id);
    const signer = event.data.signers[index];
    return signer ? { documentId: event.data.documentId, signerId: signer.signerId, requestedAt: at } : record;
  },
};
