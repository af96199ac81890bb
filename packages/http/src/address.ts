import { ipAddress } from "@rubrica/events/ip-address";
import type { FastifyRequest } from "fastify";

/** Some proxies tell the port too: `203.0.113.7:4711`, `[2001:db8::7]:4711`. */
const WITH_PORT = /^(?:([\d.]+)|\[([^\]]*)\])(?::\d{1,5})?$/;

/** The IP address that a request came from, in its shortest form; null when a proxy told something that is not an address. */
export const addressOf = ({ ip }: Pick<FastifyRequest, "ip">): string | null => {
  const [, v4, v6] = WITH_PORT.exec(ip) ?? [];
  return ipAddress(v4 ?? v6 ?? ip);
};
