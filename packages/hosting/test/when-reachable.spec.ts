import { configFrom } from "@rubrica/config";
import { createLogger } from "@rubrica/http";
import { EngineUnreachable } from "@rubrica/open-engines";
import { systemRuntime } from "@rubrica/runtime";
import { freePort } from "@rubrica/test-kit";
import { expect, test } from "vitest";
import { whenReachable } from "../src/when-reachable.ts";

const runtime = systemRuntime();

/** Where something is waited for, and what was logged of it. */
const surroundings = async (environment: Record<string, string> = { NATS_URL: "nats://h" }) => {
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line) };
  const config = configFrom({ PORT: String(await freePort()), ...environment });
  const logger = createLogger({ clock: runtime.clock, level: "info", stream });
  return { config, runtime, logger, lines, url: `http://127.0.0.1:${config.port}` };
};

const down = (engine: string) => new EngineUnreachable({ name: engine, variable: "A_URL" }, new Error("refused"));

test("while an engine does not answer the process is alive and not ready, and names it; then its port is free", async () => {
  const place = await surroundings();
  const answer = async (path: string) => {
    const response = await fetch(place.url + path);
    return [response.status, await response.json(), response.headers.get("retry-after")];
  };
  const seen: unknown[] = [];
  const engines = ["MongoDB", "NATS"];
  const opened = await whenReachable(place, async () => {
    seen.push(await answer("/livez"), await answer("/readyz"), await answer("/api/anything"));
    const engine = engines.shift();
    if (engine) throw down(engine);
    return "opened";
  });
  expect(opened).toBe("opened");
  const unready = (engine: string) => [
    503,
    { status: "not ready", failing: [engine], reasons: { [engine]: "it does not answer" } },
    null,
  ];
  const live = [200, { status: "ok" }, null];
  const starting = [503, { error: "The service is starting; try again shortly" }, "2"];
  expect(seen).toEqual([
    live,
    unready("engines"),
    starting,
    live,
    unready("MongoDB"),
    starting,
    live,
    unready("NATS"),
    starting,
  ]);
  await expect(fetch(`${place.url}/livez`)).rejects.toThrow();
  expect(place.lines.join("")).toContain("NATS does not answer as it should");
});

test("nothing is served before what is embedded was opened, and what else fails is no reason to wait", async () => {
  const embedded = await surroundings({});
  await whenReachable(embedded, () => expect(fetch(embedded.url)).rejects.toThrow());
  const place = await surroundings();
  const broken = () => Promise.reject(new Error("the folder is damaged"));
  await expect(whenReachable(place, broken)).rejects.toThrow("the folder is damaged");
  expect(place.lines.join("")).not.toContain("answer");
});
