import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually, freePort, temporaryFolder } from "@rubrica/test-kit";
import { startNameServer } from "@rubrica/test-kit/deployment";
import { textOf } from "./compose.ts";

/** docker/Caddyfile at work. */
export interface ProxyProcess extends AsyncDisposable {
  /** All that it wrote so far. */
  log(): string;
}

/** Everybody's port in a container's network of its own. */
export const APP_PORT = 3_000;

/**
 * Addresses of the loopback that nobody else has a server on: containers each have one of their own as well, and all of
 * them listen on the same port. On Linux alone is all of 127.0.0.0/8 the machine's.
 * @returns one address after the other.
 */
export const ownAddresses = async (): Promise<() => string> => {
  const port = await freePort();
  let last = 0;
  return () => {
    last += 1;
    return `127.${port >> 8}.${port & 0xff}.${last}`;
  };
};

/**
 * Starts Caddy with docker/Caddyfile, to which nothing is done but that it asks another name server.
 * @param addresses of the containers, by their services' names
 * @param url its own, without TLS: what PUBLIC_URL says
 */
export const startProxy = async (
  addresses: ReadonlyMap<string, readonly string[]>,
  url: string,
): Promise<ProxyProcess> => {
  const names = await startNameServer(addresses);
  const folder = temporaryFolder();
  const config = join(folder.path, "Caddyfile");
  const resolvers = `\n\t\t\t\tresolvers udp/127.0.0.1:${names.port}`;
  writeFileSync(
    config,
    textOf("docker/Caddyfile").replaceAll(/^\s+port 3000$/gm, (line) => line + resolvers),
  );
  const child = spawn("caddy", ["run", "--config", config, "--adapter", "caddyfile"], {
    env: { PATH: process.env.PATH, PUBLIC_URL: url, HOME: folder.path, XDG_DATA_HOME: folder.path },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  const ended = once(child, "close");
  const dispose = async (): Promise<void> => {
    process.off("exit", kill);
    kill();
    await ended;
    await names[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  };
  try {
    await eventually("the proxy", async () => {
      if (child.exitCode !== null) throw new Error(`the proxy ended: ${log}`);
      return fetch(url).catch(() => undefined);
    });
  } catch (error) {
    await dispose();
    throw error;
  }
  return { log: () => log, [Symbol.asyncDispose]: dispose };
};
