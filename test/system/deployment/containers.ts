import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync } from "node:fs";
import { followWarningsOf, repository, temporaryFolder } from "@rubrica/test-kit";
import { imageEnvironment, instructions, type Service } from "./compose.ts";
import { APP_PORT } from "./proxy.ts";

/** What of a machine of containers is another one where there are none: engines' addresses, files, and who runs what. */
export interface Surroundings {
  /** For variables that name what lies elsewhere here. */
  instead: Readonly<Record<string, string>>;
  /** An address for each container that is served, by its service's name; filled in before any is started. */
  addresses: ReadonlyMap<string, readonly string[]>;
  /** The user of the image and its Node, where this process may start programs as another one. */
  user: ImageUser | undefined;
}

export interface ImageUser {
  uid: number;
  /** The command that runs a program as this user. */
  under: readonly string[];
  /** Node as the image has it. */
  node: string;
}

/** A service's container as a process: its command, its variables, an address of its own, and `/data` for it alone. */
export interface Container extends AsyncDisposable {
  name: string;
  address: string;
  pid: number;
  /** All that it wrote so far. */
  output(): string;
  /** `/readyz` as it answers now; undefined while it does not. */
  readiness(): Promise<{ status: number; body: unknown } | undefined>;
  /** Whether the image's health check says that it is healthy. */
  isHealthy(): Promise<boolean>;
  /** Its exit code, once it has ended and all that it wrote is here. */
  ended: Promise<number | null>;
  /** As Docker stops it; gives its exit code. */
  stop(): Promise<number | null>;
}

const running = new Set<ChildProcess>();
// A test run that is broken off leaves no container behind.
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Node itself is on another path here. */
const wordsOf = (words: readonly string[], node = process.execPath): string[] =>
  words.map((word) => (word === "node" ? node : word));

/** Names of containers in URLs are their addresses here. */
const addressed = (value: string, addresses: Surroundings["addresses"]): string =>
  value.replace(/^http:\/\/([a-z-]+):3000$/, (whole, name) => {
    const [address] = addresses.get(name) ?? [];
    return address === undefined ? whole : `http://${address}:${APP_PORT}`;
  });

/** What the container's environment comes to here. */
export const environmentOf = (
  { environment = {} }: Service,
  { instead, addresses }: Surroundings,
): Record<string, string> => {
  const given = { ...imageEnvironment(), ...environment };
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, instead[name] ?? addressed(value, addresses)]),
  );
};

/** Starts a container's command; it may not answer yet. */
export const startContainer = (
  name: string,
  service: Service,
  address: string,
  surroundings: Surroundings,
): Container => {
  const { user } = surroundings;
  const data = temporaryFolder();
  if (user) chownSync(data.path, user.uid, user.uid);
  const [program = "", ...args] = [
    ...(user?.under ?? []),
    ...wordsOf([...(service.entrypoint ?? []), ...(service.command ?? [])], user?.node),
  ];
  const child = spawn(program, args, {
    cwd: repository,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      ...environmentOf(service, surroundings),
      NODE_OPTIONS: "--trace-warnings",
      HOST: address,
      METRICS_HOST: address,
      DATA_DIR: data.path,
    },
  });
  followWarningsOf(name, child);
  running.add(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const ended = once(child, "close").then(([code]): number | null => {
    running.delete(child);
    return code;
  });
  const stop = (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    return ended;
  };
  return {
    name,
    address,
    pid: child.pid ?? 0,
    output: () => output,
    async readiness() {
      if (hasEnded(child)) throw new Error(`${name} ended: ${output}`);
      const response = await fetch(`http://${address}:${APP_PORT}/readyz`).catch(() => undefined);
      return response && { status: response.status, body: await response.json() };
    },
    ended,
    isHealthy: () => healthCheckPasses(address),
    stop: () => stop("SIGTERM"),
    async [Symbol.asyncDispose]() {
      await stop("SIGKILL");
      data[Symbol.dispose]();
    },
  };
};

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

/** The image's own check; within a container, an app is reached on the loopback. */
const healthCheckPasses = async (address: string): Promise<boolean> => {
  const [check = ""] = instructions("HEALTHCHECK");
  const [program = "", ...args] = wordsOf(JSON.parse(check.slice(check.indexOf("["))));
  const words = args.map((word) => word.replace("127.0.0.1", address));
  const child = spawn(program, words, { stdio: "ignore", env: { PORT: String(APP_PORT) } });
  const [code] = await once(child, "close");
  return code === 0;
};
