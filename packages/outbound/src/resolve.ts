import { NODATA, NOTFOUND } from "node:dns";
import { Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";

/** For one question to one name server; the second and last time twice as long. */
const QUESTION_MS = 2_000;
const TRIES = 2;
/** A hosts file that is longer counts as empty. */
const MAX_HOSTS_BYTES = 1_048_576;
const MACHINE_ITSELF = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

/** An address that a host name stands for. */
export interface ResolvedAddress {
  address: string;
  family: number;
}

export interface NameResolverOptions {
  /** Name servers, `address:port`; default: the operating system's. */
  servers?: readonly string[];
  /** Names that are known without asking; default: where the system keeps them. */
  hostsFile?: string;
}

/**
 * Finds all addresses of a host name: in the hosts file, else by asking the name servers, over sockets of its own. The
 * system's own way (`getaddrinfo`) takes one of the process' few threads until a silent name server is given up, so that
 * four such names hold up every other look-up, and all reading of files. Search domains are not looked at. Rejects for a
 * name that has no address, or that nobody tells about.
 */
export const createNameResolver = ({
  servers,
  hostsFile = "/etc/hosts",
}: NameResolverOptions = {}): ((hostname: string) => Promise<readonly ResolvedAddress[]>) => {
  const resolver = new Resolver({ timeout: QUESTION_MS, tries: TRIES });
  if (servers) resolver.setServers([...servers]);
  return async (hostname) => {
    const name = hostname.toLowerCase().replace(/\.$/, "");
    const own = addressesIn(await readHosts(hostsFile), name);
    if (own.length > 0) return own;
    // RFC 6761, 6.3: such names are never asked for.
    if (name === "localhost" || name.endsWith(".localhost")) return MACHINE_ITSELF;
    const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = [four, six].flatMap((outcome) => (outcome.status === "fulfilled" ? outcome.value : []));
    if (found.length === 0) throw causeOf(four, six);
    return found.map((address) => ({ address, family: isIP(address) }));
  };
};

/** Why nothing was found. A failure tells more than that there are no records of one kind. */
const causeOf = (...outcomes: PromiseSettledResult<unknown>[]): unknown => {
  const reasons = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
  return reasons.find(({ code }) => code !== NODATA && code !== NOTFOUND) ?? reasons[0];
};

/** A system without one has no such names. */
const readHosts = async (path: string): Promise<string> => {
  try {
    const text = await readFile(path, "utf8");
    return text.length > MAX_HOSTS_BYTES ? "" : text;
  } catch {
    return "";
  }
};

const addressesIn = (hosts: string, name: string): ResolvedAddress[] =>
  hosts.split("\n").flatMap((line) => {
    const [address = "", ...names] = (line.split("#", 1)[0] ?? "").trim().toLowerCase().split(/\s+/);
    const family = isIP(address);
    return family !== 0 && names.includes(name) ? [{ address, family }] : [];
  });
