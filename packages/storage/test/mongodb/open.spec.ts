import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { inspect } from "node:util";
import { eventually } from "@rubrica/test-kit";
import { hasFerretDb, startFerretDb } from "@rubrica/test-kit/engines";
import { afterEach, expect, test } from "vitest";
import { type Mongo, MongoUrlError, openMongo } from "../../src/mongodb.ts";

const PASSWORD = "a-password-of-mine";

const servers: Server[] = [];
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

/** The port of a server that takes connections and never says anything. */
const silentPort = async (): Promise<number> => {
  const server = createServer((socket) => sockets.push(socket)).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
};

const failureOf = async (url: string): Promise<unknown> => {
  try {
    await (await openMongo({ url })).close();
  } catch (error) {
    return error;
  }
  throw new Error("it opened");
};

test.each([
  `http://u:${PASSWORD}@localhost/`,
  `mongodb://u:${PASSWORD}@/x`,
  `mongodb://u:${PASSWORD}@@localhost/`,
  `mongodb://u:${PASSWORD}@localhost/?maxPoolSize=x`,
  `mongodb://u:${PASSWORD}@localhost/?unheardOf=${PASSWORD}`,
  `mongodb://u:${PASSWORD}@localhost/%`,
  PASSWORD,
])("a URL that can't be read is refused, and not quoted: %#", async (url) => {
  const error = await failureOf(url);
  expect(error).toBeInstanceOf(MongoUrlError);
  expect(inspect(error, { depth: 10 })).not.toContain(PASSWORD);
});

test("opening ends with an error that shows no password where the server takes connections and stays silent", async () => {
  const error = await failureOf(`mongodb://u:${PASSWORD}@127.0.0.1:${await silentPort()}/`);
  expect(error).toBeInstanceOf(Error);
  expect(error).not.toBeInstanceOf(MongoUrlError);
  expect(inspect(error, { depth: 10 })).not.toContain(PASSWORD);
});

const hasServer = hasFerretDb();

test.skipIf(!hasServer)("whatever the URL says, writes outlive the primary and reads go to it", async () => {
  await using server = await startFerretDb();
  for (const [end, name] of [
    ["", "rubrica"],
    ["?w=1&journal=false&readPreference=secondary&readConcernLevel=available", "rubrica"],
    ["of%2Dmine?w=1", "of-mine"],
  ]) {
    const mongo = await openMongo({ url: `${server.url}${end}` });
    const { db } = mongo;
    expect(db.databaseName).toBe(name);
    expect(db.writeConcern).toMatchObject({ w: "majority", journal: true });
    expect([db.readPreference?.mode, db.readConcern?.level]).toEqual(["primary", "local"]);
    await mongo.close();
  }
});

/** Each call has a limit, which one may reach while the server still takes up its work. */
const answers = (mongo: Mongo): Promise<true> =>
  eventually("the server to answer", () =>
    mongo.ping().then(
      () => true as const,
      () => false,
    ),
  );

test.skipIf(!hasServer)("calls fail while the server is silent or gone, and succeed once it is back", async () => {
  await using server = await startFerretDb();
  const mongo = await openMongo({ url: server.url });
  await server.silence();
  await expect(mongo.ping()).rejects.toThrow();
  server.signal("SIGCONT");
  await answers(mongo);
  await server.kill();
  await expect(mongo.ping()).rejects.toThrow();
  await server.start();
  await answers(mongo);
  await mongo.close();
});
