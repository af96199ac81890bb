import { startEventStoreDb } from "@rubrica/test-kit/engines";
import { afterAll } from "vitest";
import { eventStoreContract, type OpenedStore } from "../contract.ts";
import { openEventStoreDbAt } from "../helpers/eventstoredb.ts";

const trueUrl = process.env.EVENTSTORE_URL;

/** A store at the URL, which is there again after `restart`. */
const openedAt = (url: string, streamPrefixes: readonly string[] = [], restart = async () => {}): OpenedStore => {
  let store = openEventStoreDbAt(url, { streamPrefixes });
  return {
    store,
    reopen: async () => {
      await store.close();
      await restart();
      store = openEventStoreDbAt(url, { streamPrefixes });
      return store;
    },
    dispose: () => store.close(),
  };
};

if (trueUrl) {
  // What a true server has stored can't be damaged from here.
  eventStoreContract("EventStoreDB", async (streamPrefixes) => openedAt(trueUrl, streamPrefixes), {
    canBeDamaged: false,
  });
} else {
  const server = await startEventStoreDb();
  afterAll(() => server[Symbol.asyncDispose]());
  const restart = async () => {
    await server.kill();
    await server.start();
  };
  eventStoreContract("EventStoreDB, against its double", async (streamPrefixes) => ({
    ...openedAt(server.url, streamPrefixes, restart),
    damage: async (stream, revision, part) => server.damage(stream, revision, part),
  }));
}
