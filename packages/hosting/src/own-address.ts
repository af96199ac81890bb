import { isIPv6 } from "node:net";
import type { Config } from "@rubrica/config";

/** What stands for all addresses of a machine, and how the machine itself reaches it. */
const ALL: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/** Where a process reaches what it serves itself, without a proxy between: no slash at its end. */
export const ownAddress = ({ host, port }: Pick<Config, "host" | "port">): string => {
  const reached = ALL[host] ?? host;
  return `http://${isIPv6(reached) ? `[${reached}]` : reached}:${port}`;
};
