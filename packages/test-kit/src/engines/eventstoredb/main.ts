import { join } from "node:path";
import { openEmbeddedEventStore } from "@rubrica/event-store";
import { systemRuntime } from "@rubrica/runtime";
import { serve } from "./server.ts";

// A process of its own: `main.ts <folder> <port>`.

/** How long it answers that it is not ready. */
const STARTING_MS = 300;
/** How long it goes on with what is open after SIGTERM. */
const STOPPING_MS = 5_000;

const [folder = "", port = ""] = process.argv.slice(2);
const { clock, ids } = systemRuntime();
let isStarting = true;
const store = openEmbeddedEventStore({ path: join(folder, "events.sqlite"), clock });
const server = await serve({ store, port: Number(port), ids, isStarting: () => isStarting });

process.once("SIGTERM", async () => {
  await clock.wait(STOPPING_MS);
  server.forceShutdown();
  await store.close();
  process.exit(0);
});

await clock.wait(STARTING_MS);
isStarting = false;
