import { createHmac } from "node:crypto";
import { ipAddress } from "@rubrica/events/ip-address";
import type { Random } from "@rubrica/runtime";
import type { FastifyRequest } from "fastify";
import ipaddr from "ipaddr.js";
import { addressOf } from "./address.ts";

/** Who a request is done for, as limits and queues count. */
export interface Sender {
  /** What the request showed: a good key, a good link, or neither. */
  kind: "account" | "link" | "address";
  /** `account:{id}`, `link:{what it opens}`, or `address:{class}`. */
  name: string;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Null until the request has shown a good key or link; ask {@link senderOf}. */
    sender: Sender | null;
  }
  interface FastifyInstance {
    /** The class of a request's address. */
    addressClass(request: FastifyRequest): string;
  }
}

/** Addresses are counted in this many classes, so that no number of them fills the memory. */
const CLASSES = 16_384;
const SALT_BYTES = 16;
/** What one subscriber usually has of IPv6 at least (RFC 6177): a /64. */
const NETWORK_BYTES = 8;

/** An IPv4 address, or an IPv6 network. */
const networkOf = (address: string): string =>
  ipaddr.IPv6.isValid(address)
    ? Buffer.from(ipaddr.parse(address).toByteArray().slice(0, NETWORK_BYTES)).toString("hex")
    : address;

/** Gives requests the class of their address; which addresses share one, nobody outside can tell. */
export const addressClasses = (random: Random): ((request: FastifyRequest) => string) => {
  const salt = random.bytes(SALT_BYTES);
  return (request) => {
    // What is no address comes through a proxy: it is counted as the proxy is.
    const address = addressOf(request) ?? ipAddress(request.socket.remoteAddress ?? "") ?? "";
    return String(createHmac("sha256", salt).update(networkOf(address)).digest().readUInt32BE() % CLASSES);
  };
};

/** Who a request is done for: the account of its key, its link, or the class of its address. */
export const senderOf = (request: FastifyRequest): Sender => {
  request.sender ??= { kind: "address", name: `address:${request.server.addressClass(request)}` };
  return request.sender;
};
