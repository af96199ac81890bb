import { join } from "node:path";
import { rewriteEvent } from "@rubrica/test-kit/damage";
import { eventStoreContract } from "../contract.ts";
import { openAt, temporaryFolder } from "../helpers/embedded.ts";

eventStoreContract(
  "embedded, in memory",
  async (streamPrefixes) => {
    const store = openAt(":memory:", streamPrefixes);
    return { store, dispose: () => store.close() };
  },
  { outlivesClosing: false },
);

eventStoreContract("embedded, on disk", async (streamPrefixes) => {
  const folder = temporaryFolder();
  const path = join(folder.path, "events.sqlite");
  let store = openAt(path, streamPrefixes);
  return {
    store,
    reopen: async () => {
      await store.close();
      store = openAt(path, streamPrefixes);
      return store;
    },
    damage: async (stream, revision, part) => {
      rewriteEvent(path, stream, Number(revision), (row) => ({ [part]: row[part].slice(0, -1) }));
    },
    dispose: async () => {
      await store.close();
      folder.remove();
    },
  };
});
