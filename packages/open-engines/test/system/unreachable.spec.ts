import { join } from "node:path";
import { inspect } from "node:util";
import { ConfigError, configFrom } from "@rubrica/config";
import { systemRuntime } from "@rubrica/runtime";
import { freePort, temporaryFolder } from "@rubrica/test-kit";
import { describe, expect, test } from "vitest";
import { EngineUnreachable, exitMessage } from "../../src/index.ts";
import { openEngines } from "../../src/stores.ts";

const PASSWORD = "a-password-of-mine";

const failureOf = async (environment: Record<string, string>): Promise<unknown> => {
  using folder = temporaryFolder();
  try {
    const config = configFrom({ DATA_DIR: join(folder.path, "data"), ...environment });
    await (await openEngines(config, systemRuntime())).close();
  } catch (error) {
    return error;
  }
  throw new Error("it opened");
};

describe.concurrent("an engine that nobody listens for", () => {
  test.for([
    ["EventStoreDB", "EVENTSTORE_URL", "esdb", "?tls=false"],
    ["MongoDB", "MONGODB_URL", "mongodb", "/rubrica"],
    ["NATS", "NATS_URL", "nats", ""],
  ] as const)("%s is named in a sentence, without its password", async ([name, variable, scheme, rest], { expect }) => {
    const error = await failureOf({ [variable]: `${scheme}://user:${PASSWORD}@127.0.0.1:${await freePort()}${rest}` });
    expect(error).toBeInstanceOf(EngineUnreachable);
    expect(error).toMatchObject({ engine: name });
    expect(inspect(error, { depth: 10 })).not.toContain(PASSWORD);
    expect(exitMessage(error, { environment: {} })).toBe(
      `${name} does not answer as it should: see that it runs where ${variable} says, and takes who that names.`,
    );
  });
});

test.each([
  ["MONGODB_URL", `mongodb://user:${PASSWORD}@/x`],
  ["EVENTSTORE_URL", `esdb://user:${PASSWORD}@host:2113?tls=perhaps`],
  ["NATS_URL", `nats://user:${PASSWORD}@`],
  ["NATS_URL", `nats://us%er:${PASSWORD}@host`],
  ["NATS_URL", `nats://user:${PASSWORD}@host:99999`],
  ["NATS_URL", `nats://user:${PASSWORD}@host, http://host`],
])("%s that can't be read is a fault of the configuration, and not quoted", async (variable, url) => {
  const error = await failureOf({ [variable]: url });
  expect(error).toBeInstanceOf(ConfigError);
  expect(String(error)).toMatch(new RegExp(`The variable ${variable} can't be used: `));
  expect(inspect(error, { depth: 10 })).not.toContain(PASSWORD);
});
