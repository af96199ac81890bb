import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "nats";
import { temporaryFolder } from "../folders.ts";
import { eventually } from "../polling.ts";
import { freePort } from "../ports.ts";
import { type Child, child } from "./child.ts";

const SERVERS = 3;

/** Three NATS servers with JetStream that keep its streams together. */
export interface NatsCluster extends AsyncDisposable {
  /** Names all three. */
  url: string;
  servers: readonly Pick<Child, "kill" | "start">[];
}

/** Whether JetStream takes a stream of so many replicas, by the server on that port: it knows who is there. */
const keepsOn = async (port: number, replicas: number): Promise<boolean> => {
  const connection = await connect({ port }).catch(() => undefined);
  try {
    const manager = await connection?.jetstreamManager({ checkAPI: false });
    const name = "cluster-is-there";
    await manager?.streams.add({ name, subjects: [name], num_replicas: replicas });
    return (await manager?.streams.delete(name)) ?? false;
  } catch {
    return false;
  } finally {
    await connection?.close();
  }
};

/** Three true NATS servers on free ports of the loopback; resolves when they keep streams together. */
export const startNatsCluster = async (): Promise<NatsCluster> => {
  const folder = temporaryFolder();
  const numbers = Array.from({ length: SERVERS }, (_, number) => number);
  const ports = await Promise.all(numbers.map(() => freePort()));
  const routes = await Promise.all(numbers.map(() => freePort()));
  const others = routes.map((port) => `"nats://127.0.0.1:${port}"`).join(", ");
  const servers = numbers.map((number) => {
    const config = join(folder.path, `${number}.conf`);
    const lines = [
      `server_name: "n${number}"`,
      `listen: "127.0.0.1:${ports[number]}"`,
      `jetstream { store_dir: "${join(folder.path, String(number))}" }`,
      `cluster { name: "c", listen: "127.0.0.1:${routes[number]}", routes: [${others}] }`,
    ];
    writeFileSync(config, `${lines.join("\n")}\n`);
    // A member alone answers nobody: whether all do is asked below.
    return child("nats-server", ["-c", config], { answers: async () => true });
  });
  const dispose = async () => {
    await Promise.all(servers.map((server) => server.kill()));
    folder[Symbol.dispose]();
  };
  try {
    await Promise.all(servers.map((server) => server.start()));
    await eventually("the servers keep a stream together", () => keepsOn(ports[0] ?? 0, SERVERS));
  } catch (error) {
    await dispose();
    throw error;
  }
  return {
    url: ports.map((port) => `nats://127.0.0.1:${port}`).join(","),
    servers,
    [Symbol.asyncDispose]: dispose,
  };
};
