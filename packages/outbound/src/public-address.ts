import ipaddr from "ipaddr.js";

/** The part of IPv6 that was given out for global unicast (RFC 4291 §2.4, IANA); all else is special or reserved. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/** Public by their range, and yet answered by the machine's own cloud: Azure's platform (metadata, DHCP, DNS). */
const ofPlatforms = new Set(["168.63.129.16"]);

/**
 * Whether an IP address (as sockets and `URL` write it, without brackets) is one of the public internet's: neither
 * private, loopback, link-local, shared, multicast nor reserved (IANA special-purpose registries). An IPv4 address mapped
 * into IPv6 counts as the IPv4 address; other ways to carry one in IPv6 (6to4, NAT64, Teredo, compatible) are not public.
 */
export const isPublicAddress = (address: string): boolean => {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== "unicast" || ofPlatforms.has(parsed.toString())) return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST);
};
