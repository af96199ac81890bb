import { join } from "node:path";
import { openEmbeddedEventStore } from "@rubrica/event-store/embedded";
import { systemRuntime } from "@rubrica/runtime";
import { Log } from "./cluster/log.ts";
import { Member } from "./cluster/member.ts";
import { membershipOf } from "./cluster/membership.ts";
import { listen } from "./cluster/talk.ts";
import { serve } from "./server.ts";

// A process of its own: `main.ts <folder> <port>`, or, as the member of that number of a cluster of several,
// `main.ts <folder> <port,port,port> <number> <port,port,port>`: the clients' ports, and those the members talk on.

/** How long it answers that it is not ready. */
const STARTING_MS = 300;
/** How long it goes on with what is open after SIGTERM. */
const STOPPING_MS = 5_000;

const [folder = "", clientPorts = "", number = "0", memberPorts] = process.argv.slice(2);
const { clock, ids, random } = systemRuntime();
const me = Number(number);
const ports = clientPorts.split(",").map(Number);
let isStarting = true;
const store = openEmbeddedEventStore({ path: join(folder, "events.sqlite"), clock });

const joined = memberPorts?.split(",").map(Number);
const member = joined
  ? new Member({ me, ports: joined, log: new Log(folder), clock, random, endWith: (code) => process.exit(code) })
  : undefined;
const membership = member && membershipOf(member, me, ports, store);
const server = await serve({
  store,
  port: ports[me] ?? 0,
  ids,
  isStarting: () => isStarting,
  ...(membership ? { membership } : {}),
});

process.once("SIGTERM", async () => {
  member?.end();
  await clock.wait(STOPPING_MS);
  server.forceShutdown();
  await store.close();
  process.exit(0);
});

if (member && joined) {
  await listen(joined[me] ?? 0, (question) => member.answer(question));
  void member.run();
}
await clock.wait(STARTING_MS);
isStarting = false;
