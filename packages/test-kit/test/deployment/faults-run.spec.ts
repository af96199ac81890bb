import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { type NotedFault, notedFaults, noteFault, sayFaults, skipUnlessStopped } from "../../src/deployment/index.ts";
import { noting } from "../../src/deployment/noted-faults.ts";
import { commandedEngine } from "../../src/engines/index.ts";
import { temporaryFolder } from "../../src/index.ts";

afterEach(() => vi.unstubAllEnvs());

const COMMANDS = { ENGINES_STOP: "true", ENGINES_START: "true" };
const URLS = { EVENTSTORE_URL: "esdb://h:1", MONGODB_URL: "mongodb://127.0.0.1:27017/", NATS_URL: "nats://h:4222" };
const of = (engine: string, environment: Record<string, string>, happened: readonly NotedFault[] = []): string[] =>
  sayFaults(happened, environment)
    .filter((line) => line.startsWith(engine))
    .map((line) => line.slice(engine.length + 2));

test("of each fault that did not happen it is said why", () => {
  const noCommands = "not run, as ENGINES_STOP and ENGINES_START are not set";
  const notOfTheLoopback = "not run, as it is no server of the loopback without TLS";
  expect(of("NATS", URLS)).toEqual([
    `killed as a whole: ${noCommands}`,
    `silent as a whole: ${noCommands}`,
    `cut on the wire: ${notOfTheLoopback}`,
    `halved on the wire: ${notOfTheLoopback}`,
    `late on the wire: ${notOfTheLoopback}`,
    "its stream deleted: not run, as it is nobody's but its operator's",
  ]);
  const cluster = { ...URLS, ...COMMANDS, MONGODB_URL: "mongodb://a:1,b:1/" };
  const wholeOrWire = "not run, as it is a cluster";
  expect(of("MongoDB", cluster)).toEqual([
    `killed as a whole: ${wholeOrWire}, of which one server is stopped`,
    `silent as a whole: ${wholeOrWire}, of which one server is stopped`,
    ...["killed", "silent"].map(
      (how) =>
        `one server of it ${how}: not run, as it is for long runs (RUBRICA_FAULTS=long), but for one server of all these clusters`,
    ),
    `cut on the wire: ${wholeOrWire}`,
    `halved on the wire: ${wholeOrWire}`,
    `late on the wire: ${wholeOrWire}`,
  ]);
});

test("what could have happened, and did not, is not said to have", () => {
  const happened: NotedFault[] = [{ engine: "MongoDB", fault: "halved on the wire" }];
  const noTest = "not run, as no test that ran had it happen";
  expect(of("MongoDB", { ...URLS, ...COMMANDS }, happened)).toEqual([
    `killed as a whole: ${noTest}`,
    `silent as a whole: ${noTest}`,
    `cut on the wire: ${noTest}`,
    "halved on the wire: on the server",
    `late on the wire: ${noTest}`,
  ]);
  expect(of("NATS", { ...URLS, ...COMMANDS }, happened)[0]).toBe(`killed as a whole: ${noTest}`);
});

test("what befalls an engine is noted once it did, and said of what it befell", async () => {
  using folder = temporaryFolder();
  const notes = join(folder.path, "faults");
  vi.stubEnv("RUBRICA_TEST_FAULTS", notes);
  expect(notedFaults(notes)).toEqual([]);
  const stop = vi.fn(async () => {});
  const engine = noting("NATS", commandedEngine("NATS", URLS.NATS_URL, { stop, start: async () => {} }));
  await engine.kill();
  stop.mockRejectedValueOnce(new Error("no such server"));
  await expect(engine.silence()).rejects.toThrow("no such server");
  noteFault("EventStoreDB", "late on the wire");
  const { EVENTSTORE_URL: _, ...rest } = { ...URLS, ...COMMANDS };
  expect(sayFaults(notedFaults(notes), rest).filter((line) => !line.includes("not run"))).toEqual([
    "EventStoreDB, late on the wire: on what stands for the server",
    "NATS, killed as a whole: on the server",
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
