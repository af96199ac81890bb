import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commandedEngine, engineCommandsIn, isCluster } from "../../src/engines/index.ts";
import { temporaryFolder } from "../../src/index.ts";

describe("what an operator's commands are given", () => {
  const commanded = () => {
    const folder = temporaryFolder();
    const path = join(folder.path, "said");
    const commands = engineCommandsIn({
      ENGINES_STOP: `printf '%s\\n' stop >> ${path}; printf '%s ' >> ${path}`,
      ENGINES_START: `printf '%s\\n' start >> ${path}; printf '%s ' >> ${path}`,
    });
    if (!commands) throw new Error("there are commands");
    return { commands, said: () => readFileSync(path, "utf8"), [Symbol.dispose]: () => folder[Symbol.dispose]() };
  };

  test("the engine, which server, and how it is stopped", async () => {
    using operator = commanded();
    await operator.commands.stop("NATS", "member", "silence");
    await operator.commands.start("NATS", "member", "silence");
    expect(operator.said()).toBe("stop\nNATS member silence start\nNATS member silence ");
  });

  test("a single server is its own leader, and is started as it was stopped, in the order that was asked for", async () => {
    using operator = commanded();
    const engine = commandedEngine("EventStoreDB", "esdb://h", operator.commands);
    await engine.silence();
    engine.signal("SIGCONT");
    await engine.kill();
    await engine.start();
    const told = ["stop\n", "silence ", "start\n", "silence ", "stop\n", "kill ", "start\n", "kill "];
    expect(operator.said()).toBe(
      told.map((word) => (word.endsWith("\n") ? word : `EventStoreDB leader ${word}`)).join(""),
    );
    expect(() => engine.signal("SIGTERM")).toThrow("EventStoreDB can't be sent SIGTERM");
  });

  test("one that fails is told to who asked", async () => {
    const commands = engineCommandsIn({ ENGINES_STOP: "exit 3;", ENGINES_START: "true" });
    await expect(commands?.stop("NATS", "leader", "kill")).rejects.toMatchObject({ code: 3 });
  });
});

test("what is stopped has to be startable: one of the two commands alone is refused", () => {
  expect(engineCommandsIn({})).toBeUndefined();
  for (const one of ["ENGINES_STOP", "ENGINES_START"])
    expect(() => engineCommandsIn({ [one]: "true" })).toThrow("ENGINES_STOP and ENGINES_START need each other");
});

test.each([
  ["esdb://a:2113,b:2113?tls=false", true],
  ["esdb+discover://cluster.example", true],
  ["mongodb+srv://cluster.example/rubrica", true],
  ["nats://a:4222,nats://b:4222", true],
  ["esdb://127.0.0.1:2113?tls=false", false],
  ["mongodb://h/rubrica?replicaSet=rs0", false],
])("%s names a cluster: %s", (url, isOne) => {
  expect(isCluster(url)).toBe(isOne);
});
