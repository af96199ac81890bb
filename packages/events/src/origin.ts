import { z } from "zod";
import type { EventContent } from "./define.ts";
import { ipAddress } from "./ip-address.ts";

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

/** For the events that were recorded before addresses were checked. One that is new has none of it: its version is 1. */
export const addressChecked = { version: 2, upcasts: { 1: withAddressOrNone } };
