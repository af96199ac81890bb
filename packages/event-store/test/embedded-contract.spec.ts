import { join } from "node:path";
import { eventStoreContract } from "./contract.ts";
import { openAt, temporaryFolder } from "./helpers/embedded.ts";

eventStoreContract(
  "embedded, in memory",
  async () => {
    const store = openAt(":memory:");
    return { store, dispose: () => store.close() };
  },
  { outlivesClosing: false },
);

eventStoreContract("embedded, on disk", async () => {
  const folder = temporaryFolder();
  const path = join(folder.path, "events.sqlite");
  let store = openAt(path);
  return {
    store,
    reopen: async () => {
      await store.close();
      store = openAt(path);
      return store;
    },
    dispose: async () => {
      await store.close();
      folder.remove();
    },
  };
});
