import { isDeepStrictEqual } from "node:util";
import { EventStoreDBClient, jsonEvent, NotLeaderError, StreamNotFoundError } from "@eventstore/db-client";
import { systemRuntime } from "@rubrica/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ClusterMember, type EventStoreDbCluster, startEventStoreDbCluster } from "../../../src/engines/index.ts";
import { eventually } from "../../../src/index.ts";

// How a cluster of EventStoreDB 23.10.6 behaves under its official client, as it was measured on true servers.

let cluster: EventStoreDbCluster;
beforeAll(async () => {
  cluster = await startEventStoreDbCluster();
});
afterAll(() => cluster[Symbol.asyncDispose]());

const { ids } = systemRuntime();
const event = () => jsonEvent({ id: ids.uuidv7(), type: "Happened", data: {} });
const portOf = ({ url }: ClusterMember): number => Number(/:(\d+)\?/.exec(url)?.[1]);

/** With that member alone, whose calls are not sent on by the client. */
const at = async <T>(member: ClusterMember, work: (client: EventStoreDBClient) => Promise<T>): Promise<T> => {
  const client = EventStoreDBClient.connectionString(member.url);
  try {
    return await work(client);
  } finally {
    await client.dispose();
  }
};

const idsIn = async (client: EventStoreDBClient, stream: string, requiresLeader: boolean): Promise<string[]> => {
  const all: string[] = [];
  for await (const { event } of client.readStream(stream, { requiresLeader })) all.push(event?.id ?? "");
  return all;
};

const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

const followers = async (): Promise<ClusterMember[]> => {
  const leader = await cluster.leader();
  return cluster.members.filter((member) => member !== leader);
};

/** What a member that answers has of a stream: one that is only starting, or loses its connection, is asked again. */
const heldBy = (member: ClusterMember, stream: string): Promise<string[]> =>
  eventually("a member to answer", () =>
    at(member, (client) => idsIn(client, stream, false)).catch((error: unknown) =>
      error instanceof StreamNotFoundError ? [] : undefined,
    ),
  );

// On a busy machine another one may be elected at any moment: what a test asks for is asked of who leads then.
describe("a member that does not lead", () => {
  test("refuses what is for the leader, and names it", async () => {
    const credentials = { username: "any", password: "any" };
    const append = (client: EventStoreDBClient) =>
      client.appendToStream(`fact-${ids.uuidv7()}`, [event()], { credentials, requiresLeader: true });
    const refused: ClusterMember[] = [];
    for (const member of cluster.members) {
      // It says "No leader info available" until it has heard of the one that was elected.
      await eventually("who leads, by its own word or another's", async () => {
        const leader = await cluster.leader();
        if (member === leader) return true;
        const errors = [
          await errorOf(at(member, (client) => idsIn(client, "any", true))),
          await errorOf(at(member, append)),
        ];
        const isNamed = errors.every(
          (error) =>
            error instanceof NotLeaderError &&
            isDeepStrictEqual({ ...error.leader }, { address: "127.0.0.1", port: portOf(leader) }),
        );
        if (isNamed) refused.push(member);
        return isNamed;
      });
    }
    expect(refused.length).toBeGreaterThan(0);
  });

  test("has what the leader acknowledged, or another one has", async () => {
    const stream = `fact-${ids.uuidv7()}`;
    const written = event();
    const leader = await eventually("a leader to acknowledge it", async () => {
      const asked = await cluster.leader();
      return at(asked, (client) => client.appendToStream(stream, [written])).then(
        () => asked,
        () => undefined,
      );
    });
    const others = cluster.members.filter((member) => member !== leader);
    const copies = await Promise.all(others.map((member) => heldBy(member, stream)));
    expect(copies.flat()).toContain(written.id);
    for (const member of others)
      await eventually("each has it", async () => (await heldBy(member, stream))[0] === written.id);
  });
});

test("a leader alone acknowledges nothing, and shows nobody what the others lack", async () => {
  const leader = await cluster.leader();
  const others = await followers();
  const stream = `fact-${ids.uuidv7()}`;
  await Promise.all(others.map((member) => member.silence()));
  const credentials = { username: "any", password: "any" };
  const appended = await errorOf(
    at(leader, (client) => client.appendToStream(stream, [event()], { credentials, deadline: 4_000 })),
  );
  expect(appended).toBeInstanceOf(Error);
  const read = await errorOf(at(leader, (client) => idsIn(client, stream, true)));
  expect(read).toBeInstanceOf(Error);
  for (const member of others) member.signal("SIGCONT");
  await cluster.leader();
});
