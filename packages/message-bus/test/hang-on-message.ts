import { systemClock } from "@rubrica/runtime";
import { openJetStreamMessageBus } from "../src/jetstream/bus.ts";

/** Takes messages in a process of its own, tells its parent of each, and never ends with any. */
const [url = "", stream = "", ackWaitMs = ""] = process.argv.slice(2);
const bus = await openJetStreamMessageBus({ url, stream, clock: systemClock, onError: () => {} });
await bus.consume({
  subject: "s",
  group: "g",
  concurrency: 2,
  ackWaitMs: Number(ackWaitMs),
  signal: new AbortController().signal,
  handle: async ({ id }) => {
    process.send?.(id);
    await new Promise(() => {});
  },
});
