import { configFrom } from "@rubrica/config";
import { createLogger, NotReady } from "@rubrica/http";
import { openNoEngines } from "@rubrica/open-engines";
import { systemRuntime } from "@rubrica/runtime";
import { freePort, temporaryFolder } from "@rubrica/test-kit";
import { expect, test } from "vitest";
import { type App, aborted, ListenError, openHost, serve } from "../src/index.ts";

const runtime = systemRuntime();
const logger = createLogger({ clock: runtime.clock, level: "silent" });

/** A host on engines of its own, and where its app is served. */
const hosted = async () => {
  await using opening = new AsyncDisposableStack();
  const folder = opening.use(temporaryFolder());
  const port = await freePort();
  const host = await openHost(
    openNoEngines,
    configFrom({ DATA_DIR: folder.path, PORT: String(port) }),
    runtime,
    logger,
  );
  opening.defer(() => host.engines.close());
  const opened = opening.move();
  return { host, url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => opened.disposeAsync() };
};

/** An app that tells what becomes of it. */
const telling = (told: string[], app: App = {}): App => ({
  async run(signal) {
    await aborted(signal);
    told.push("stopped");
  },
  close: async () => void told.push("closed"),
  ...app,
});

test("an app is served with its checks, and stops before it closes", async () => {
  await using place = await hosted();
  const told: string[] = [];
  const app = telling(told, {
    async routes(server) {
      server.get("/mine", async () => ({ mine: true }));
    },
    checks: { "a part": () => Promise.reject(new NotReady("it is not there")) },
  });
  const running = await serve(place.host, app);
  expect(await (await fetch(`${place.url}/mine`)).json()).toEqual({ mine: true });
  const ready = await fetch(`${place.url}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([
    503,
    { status: "not ready", failing: ["a part"], reasons: { "a part": "it is not there" } },
  ]);
  expect(told).toEqual([]);
  await running.close();
  expect(told).toEqual(["stopped", "closed"]);
});

test("what goes on beside the requests and ends by an error is told, and the app is closed all the same", async () => {
  await using place = await hosted();
  const told: string[] = [];
  const run = () => Promise.reject(new Error("the log is gone"));
  const running = await serve(place.host, telling(told, { run }));
  await expect(running.failed).rejects.toThrow("the log is gone");
  await expect(running.close()).rejects.toThrow("the log is gone");
  expect(told).toEqual(["closed"]);
});

test("metrics that can't be served keep the app from starting, and name their variable", async () => {
  await using place = await hosted();
  const taken = { host: "127.0.0.1", port: place.host.config.port };
  const told: string[] = [];
  const first = await serve(place.host, {});
  const host = { ...place.host, config: { ...place.host.config, metrics: taken } };
  const sentence = `Port ${taken.port} is in use: set METRICS_PORT to another one.`;
  await expect(serve(host, telling(told))).rejects.toEqual(new ListenError(sentence, undefined));
  expect(told).toEqual(["stopped", "closed"]);
  await first.close();
});

test("an app that can't listen is closed", async () => {
  await using place = await hosted();
  const told: string[] = [];
  const first = await serve(place.host, {});
  await expect(serve(place.host, telling(told))).rejects.toThrow(ListenError);
  expect(told).toEqual(["stopped", "closed"]);
  await first.close();
});
