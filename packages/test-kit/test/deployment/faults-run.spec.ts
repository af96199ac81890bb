import { afterEach, expect, test, vi } from "vitest";
import { sayFaults, skipUnlessStopped } from "../../src/deployment/index.ts";

afterEach(() => vi.unstubAllEnvs());

const COMMANDS = { ENGINES_STOP: "true", ENGINES_START: "true" };
const of = (engine: string, environment: Record<string, string>): string[] =>
  sayFaults(environment)
    .filter((line) => line.startsWith(engine))
    .map((line) => line.slice(engine.length + 2));

test("each fault is said to befall the server, what stands for it, or nobody, and why", () => {
  expect(of("EventStoreDB", {})).toEqual([
    "killed and silent as a whole: on what stands for the server",
    "cut, halved and late on the wire: on what stands for the server",
  ]);
  expect(of("NATS", { NATS_URL: "nats://h:4222" })).toEqual([
    "killed and silent as a whole: not run, as ENGINES_STOP and ENGINES_START are not set",
    "cut, halved and late on the wire: not run, as it is no server of the loopback without TLS",
    "its stream deleted: not run, as it is nobody's but its operator's",
  ]);
  expect(of("MongoDB", { ...COMMANDS, MONGODB_URL: "mongodb://127.0.0.1:27017/" })).toEqual([
    "killed and silent as a whole: on the server",
    "cut, halved and late on the wire: on the server",
  ]);
  const cluster = { ...COMMANDS, MONGODB_URL: "mongodb://a:1,b:1/", EVENTSTORE_URL: "esdb://a:1,b:1" };
  expect([...of("EventStoreDB", cluster), ...of("MongoDB", cluster)]).toEqual([
    "killed and silent as a whole: not run, as it is a cluster, of which one server is stopped",
    "one server of it killed and silent: on the server",
    "cut, halved and late on the wire: not run, as it is a cluster",
    "killed and silent as a whole: not run, as it is a cluster, of which one server is stopped",
    "one server of it killed and silent: not run, as it is for long runs (RUBRICA_FAULTS=long), but for one server of all these clusters",
    "cut, halved and late on the wire: not run, as it is a cluster",
  ]);
});

test("a test that stops an engine which is not to be stopped is skipped, with the reason", () => {
  const said: string[] = [];
  const skip = (_: boolean, why: string) => void said.push(why);
  for (const [name, value] of Object.entries(COMMANDS)) vi.stubEnv(name, value);
  vi.stubEnv("NATS_URL", "nats://a:4222,nats://b:4222");
  vi.stubEnv("MONGODB_URL", "mongodb://127.0.0.1:27017/");
  skipUnlessStopped(skip, "MongoDB", "NATS");
  expect(said).toEqual(["not run: NATS is not stopped as a whole, as it is a cluster, of which one server is stopped"]);
});
