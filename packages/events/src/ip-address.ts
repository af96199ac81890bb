import ipaddr from "ipaddr.js";

/** The longest form of an IPv6 address is shorter. */
const MAX_LENGTH = 64;

/**
 * A text as an IP address in its shortest form: IPv4 for an IPv4-mapped one (RFC 4291, 2.5.5.2), IPv6 as RFC 5952 has it,
 * without a zone, which names something of one machine alone. Null when the text is no IP address.
 */
export const ipAddress = (text: string): string | null => {
  const [address = ""] = text.slice(0, MAX_LENGTH + 1).split("%", 1);
  if (address.length > MAX_LENGTH) return null;
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return address;
  return ipaddr.IPv6.isValid(address) ? ipaddr.process(address).toString() : null;
};
