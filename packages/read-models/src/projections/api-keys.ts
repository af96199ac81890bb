import type { Projection } from "../projection.ts";

/** Whose key it is. Its id is the key's SHA-256 in lower-case hex; what became of the key is the account's to tell. */
export type ApiKeyRecord = { accountId: string; keyId: string };

/** API keys, by their SHA-256. */
export const apiKeys: Projection<ApiKeyRecord> = {
  name: "api-keys",
  version: 1,
  indexes: [],
  keysOf: (event) => (event.type === "ApiKeyIssued" ? [event.data.keySha256] : []),
  project: (record, event) =>
    event.type === "ApiKeyIssued" ? (record ?? { accountId: event.streamId, keyId: event.data.keyId }) : record,
};
