import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { GossipClient } from "@eventstore/db-client/generated/gossip_grpc_pb.js";
import gossip from "@eventstore/db-client/generated/gossip_pb.js";
import shared from "@eventstore/db-client/generated/shared_pb.js";
import { credentials, Metadata } from "@grpc/grpc-js";
import { systemClock } from "@rubrica/runtime";
import { temporaryFolder } from "../folders.ts";
import { eventually } from "../polling.ts";
import { freePort } from "../ports.ts";
import { type Child, child } from "./child.ts";

const MAIN = join(import.meta.dirname, "eventstoredb", "main.ts");
const MEMBERS = 3;
const GOSSIP_LIMIT_MS = 1_000;

/** A member of the cluster, as a process. */
export interface ClusterMember extends Pick<Child, "signal" | "silence" | "kill" | "start"> {
  /** The URL of this member alone. */
  url: string;
  /** How often it has ended with exit code 0, having dropped what the others lacked, and was started again. */
  drops(): number;
}

/** Three doubles of EventStoreDB that keep the same events. */
export interface EventStoreDbCluster extends AsyncDisposable {
  /** Names all three. */
  url: string;
  members: readonly ClusterMember[];
  /** The member that leads; waits until one does. */
  leader(): Promise<ClusterMember>;
}

/** The port of the member that leads, by what the one on that port says; undefined when it knows none, or is silent. */
const leaderBy = (port: number): Promise<number | undefined> =>
  new Promise((resolve) => {
    const client = new GossipClient(`127.0.0.1:${port}`, credentials.createInsecure());
    const deadline = systemClock.now() + GOSSIP_LIMIT_MS;
    client.read(new shared.Empty(), new Metadata(), { deadline }, (_error, info) => {
      client.close();
      const leading = info?.getMembersList().find((one) => one.getState() === gossip.MemberInfo.VNodeState.LEADER);
      resolve(leading?.getHttpEndPoint()?.getPort());
    });
  });

const answersOn = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const client = new GossipClient(`127.0.0.1:${port}`, credentials.createInsecure());
    client.waitForReady(systemClock.now() + GOSSIP_LIMIT_MS, (error) => {
      client.close();
      resolve(!error);
    });
  });

interface Supervised extends ClusterMember {
  /** What it said last, where it ended by itself otherwise than EventStoreDB does: the cluster is broken then. */
  broken(): string | undefined;
  stop(): Promise<void>;
}

/** A member that is started again where it ends by itself with exit code 0, as a supervisor does. */
const supervised = (url: string, server: Child): Supervised => {
  let drops = 0;
  let isStopped = false;
  let broken: string | undefined;
  const start = async (): Promise<void> => {
    try {
      await server.start();
    } catch (error) {
      if ((await server.ended()) !== 0) throw error;
      drops += 1;
      return start();
    }
    void server.ended().then((code) => {
      if (code === null || isStopped) return;
      if (code !== 0) {
        broken = `${url} ended with exit code ${code}: ${server.said()}`;
        return;
      }
      drops += 1;
      start().catch((error: unknown) => {
        broken = `${url} did not come back: ${String(error)}`;
      });
    });
  };
  return {
    url,
    signal: server.signal,
    silence: server.silence,
    kill: server.kill,
    start,
    drops: () => drops,
    broken: () => broken,
    async stop() {
      isStopped = true;
      await server.kill();
    },
  };
};

/**
 * A cluster of three doubles of EventStoreDB, each a process with a file of its own. The leader's writes are with
 * another member before they are answered; without it for 2 s, the others elect one of them. A member that comes back
 * with events that the others lack drops them and ends with exit code 0, to be started again.
 */
export const startEventStoreDbCluster = async (): Promise<EventStoreDbCluster> => {
  const folder = temporaryFolder();
  const numbers = Array.from({ length: MEMBERS }, (_, number) => number);
  const ports = await Promise.all(numbers.map(() => freePort()));
  const memberPorts = await Promise.all(numbers.map(() => freePort()));
  const members = ports.map((port, number) => {
    const own = join(folder.path, String(number));
    mkdirSync(own);
    const args = ["--trace-warnings", MAIN, own, ports.join(","), String(number), memberPorts.join(",")];
    const server = child(process.execPath, args, { answers: () => answersOn(port) });
    return supervised(`esdb://127.0.0.1:${port}?tls=false`, server);
  });
  const dispose = async () => {
    await Promise.all(members.map((member) => member.stop()));
    folder[Symbol.dispose]();
  };
  try {
    await Promise.all(members.map((member) => member.start()));
  } catch (error) {
    await dispose();
    throw error;
  }
  return {
    url: `esdb://${ports.map((port) => `127.0.0.1:${port}`).join(",")}?tls=false`,
    members,
    leader: () =>
      eventually("a member leads", async () => {
        for (const member of members) if (member.broken()) throw new Error(member.broken());
        const known = await Promise.all(ports.map(leaderBy));
        // The others may still name one that is gone: who leads says so of itself.
        return members.find((_, number) => known[number] === ports[number]);
      }),
    [Symbol.asyncDispose]: dispose,
  };
};
