import type { RequestEvent } from "@rubrica/events";
import type { Fold } from "./decider.ts";

/** A request with an idempotency key: not seen yet, or accepted with what it makes. */
export type IdempotentRequest =
  | { status: "none" }
  | { status: "accepted"; route: string; bodyHmac: string; resultId: string };

/** Accepts the first request with its key. Nothing for the later ones: what they get is the first one's. */
export const acceptRequest = (
  request: IdempotentRequest,
  { route, bodyHmac, resultId }: { route: string; bodyHmac: string; resultId: string },
): RequestEvent[] =>
  request.status === "none" ? [{ type: "RequestAccepted", data: { route, bodyHmac, resultId }, personal: null }] : [];

/** A request as its stream tells it. */
export const requestFold: Fold<IdempotentRequest, RequestEvent> = {
  initial: { status: "none" },
  evolve: (request, { data }) => (request.status === "none" ? { status: "accepted", ...data } : request),
};
