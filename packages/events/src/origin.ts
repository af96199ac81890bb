import ipaddr from "ipaddr.js";
import { z } from "zod";
import type { EventContent } from "./define.ts";

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

/** An IP address as {@link ipAddress} has it. */
export const IpAddress = z
  .string()
  .refine((text) => ipAddress(text) === text, "must be an IP address in its shortest form");

/** From where a person acted. `ip` is null when no address was told that is one. */
export const Origin = z.strictObject({
  ip: IpAddress.nullable(),
  userAgent: z.string().max(1000),
});
export type Origin = z.infer<typeof Origin>;

/** Version 1 took whatever a proxy said: what is no IP address was not told. */
const withAddressOrNone = ({ data, personal }: EventContent): EventContent => ({
  data,
  personal: personal && { ...personal, ip: ipAddress(String(personal.ip)) },
});

/** For an event whose personal part has an {@link Origin}. */
export const ofOrigin = { version: 2, upcasts: { 1: withAddressOrNone } };
