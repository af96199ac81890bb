import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { configFrom } from "@rubrica/config";
import { demoAccountId } from "@rubrica/events";
import { compose, openHost, serve } from "@rubrica/hosting";
import { createLogger } from "@rubrica/http";
import type { Engines } from "@rubrica/open-engines";
import { openEngines } from "@rubrica/open-engines/stores";
import { freePort } from "@rubrica/test-kit";
import { openApps } from "../apps/standalone/src/apps.ts";
import { openDemoAccount } from "../apps/standalone/src/demo-account.ts";
import { openCountingReceiver, writeBacklogs, writeOne } from "../test/support/backlog.ts";
import { type Extent, percentile, perSecond, type Row, ratio, runtime, timeOf, whole, withFolder } from "./measure.ts";
import { startRubrica } from "./servers.ts";

const { clock } = runtime;
const RATE = 100;
const RECEIVERS = 100;
const DEAD = 20;
const AIM_MS = 150;
const AIM_RATIO = 1.3;
const WARM_UP_SECONDS = 5;
const TURNS = 2;
/** What a dead receiver's callbacks take, before the first of them is given up. */
const PATIENCE_MS = 60_000;

/** Callbacks that a service owes when it starts: how fast one receiver is told of them. */
export const benchWebhookRate = ({ quick }: Extent): Promise<Row> =>
  withFolder(async (folder) => {
    const callbacks = quick ? 1_000 : 10_000;
    await using receiver = await openCountingReceiver();
    await writeBacklogs(folder, [{ accountId: demoAccountId, documents: callbacks / 2, url: receiver.url }]);
    const server = await startRubrica(folder, { ALLOW_PRIVATE_URLS: "true" });
    const told = receiver.told.size;
    const ms = await timeOf(() => receiver.has(callbacks));
    await server.stop();
    return {
      what: `${whole(callbacks)} callbacks to one receiver`,
      measured: `${whole(callbacks - told)} in ${(ms / 1000).toFixed(1)} s`,
      baseline: "—",
      result: `${whole(perSecond(callbacks - told, ms))}/s`,
      aim: "—",
      note: "eight at a time, two events each, a document's second after its first",
    };
  });

/** Receivers on the loopback, the first ones dead: they take the connection, and never answer. */
interface Receivers extends AsyncDisposable {
  urls: readonly string[];
  /** When the first attempt of each webhook came, by document and type, on the monotonic clock. */
  cameAtMs: ReadonlyMap<string, number>;
}

const openReceivers = async (dead: number): Promise<Receivers> => {
  const cameAtMs = new Map<string, number>();
  const servers: Server[] = [];
  for (let number = 0; number < RECEIVERS; number++) {
    const server = createServer(async (request, response) => {
      const nowMs = clock.monotonicMs();
      const { type, data } = JSON.parse(await text(request));
      const name = `${data.id_seguimiento}/${type}`;
      if (!cameAtMs.has(name)) cameAtMs.set(name, nowMs);
      if (number >= dead) response.end();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    servers.push(server);
  }
  return {
    urls: servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
    cameAtMs,
    async [Symbol.asyncDispose]() {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
        await once(server, "close");
      }
    },
  };
};

/** Writes documents at the rate, each of which owes a callback to the next receiver; gives how late each came that lives. */
const latencies = async (engines: Engines, receivers: Receivers, seconds: number): Promise<number[]> => {
  const writtenAtMs = new Map<string, number>();
  const startMs = clock.monotonicMs();
  for (let number = 0; number < seconds * RATE; number++) {
    await clock.wait(Math.max(0, startMs + (number * 1000) / RATE - clock.monotonicMs()));
    const place = number % RECEIVERS;
    const url = receivers.urls[place] ?? "";
    const writing = writeOne(engines, { accountId: demoAccountId, url });
    void writing.then((id) => {
      if (place >= DEAD && number >= WARM_UP_SECONDS * RATE) writtenAtMs.set(`${id}/rejection`, clock.monotonicMs());
    });
    if (number % RATE === 0) await writing;
  }
  const endMs = clock.monotonicMs() + PATIENCE_MS;
  const missing = () => [...writtenAtMs.keys()].some((name) => !receivers.cameAtMs.has(name));
  while (missing() && clock.monotonicMs() < endMs) await clock.wait(100);
  return [...writtenAtMs].map(([name, at]) => Math.max(0, (receivers.cameAtMs.get(name) ?? endMs) - at));
};

const run = (dead: number, seconds: number): Promise<number[]> =>
  withFolder(async (folder) => {
    await using receivers = await openReceivers(dead);
    const port = String(await freePort());
    const config = configFrom({ DATA_DIR: folder, PORT: port, ALLOW_PRIVATE_URLS: "true", LOG_LEVEL: "silent" });
    const host = await openHost(openEngines, config, runtime, createLogger({ clock, level: "silent" }));
    await openDemoAccount(host.engines, undefined, runtime);
    const { apps, shared } = await openApps(host);
    const running = await serve(host, compose([...shared, ...Object.values(apps)]));
    try {
      return await latencies(host.engines, receivers, seconds);
    } finally {
      await running.close();
      await host.engines.close();
    }
  });

/** From a callback's event to its first attempt, at a hundred a second over a hundred receivers: with all of them, and with some dead. */
export const benchWebhookLatency = async ({ quick }: Extent): Promise<Row[]> => {
  const seconds = quick ? 10 : 60;
  const all: number[] = [];
  const some: number[] = [];
  // In turns: what else the machine does meanwhile falls on both.
  for (let turn = 0; turn < TURNS; turn++) {
    all.push(...(await run(0, seconds)));
    some.push(...(await run(DEAD, seconds)));
  }
  const [p99, p99Dead] = [percentile(all, 0.99), percentile(some, 0.99)];
  const common = { baseline: "—", note: "the service, its receivers and who writes the events share one process" };
  return [
    {
      ...common,
      what: `${RATE} callbacks/s: event to first attempt`,
      measured: `p50 ${percentile(all, 0.5).toFixed(0)} ms over ${whole(all.length)}`,
      result: `p99 ${p99.toFixed(0)} ms`,
      aim: `< ${AIM_MS} ms`,
    },
    {
      ...common,
      what: `the same, ${DEAD} of ${RECEIVERS} receivers dead`,
      measured: `the others' p50 ${percentile(some, 0.5).toFixed(0)} ms, p99 ${p99Dead.toFixed(0)} ms`,
      baseline: `p99 ${p99.toFixed(0)} ms`,
      result: ratio(p99Dead / p99),
      aim: `< ${AIM_RATIO}`,
    },
  ];
};
