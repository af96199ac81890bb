import type { OpenAccount } from "@rubrica/domain";
import type { Origin, Requester } from "@rubrica/events";
import { addressOf, callerOf } from "@rubrica/http";
import type { CommandContext } from "@rubrica/journal";
import type { FastifyRequest } from "fastify";

const MAX_USER_AGENT_LENGTH = 500;

/** The context of a command that a request asks for. `commandId`: by default the request's id. */
export const contextOf = (
  request: FastifyRequest,
  actor: "integrator" | "signer",
  accountId: string,
  commandId: string = request.id,
): CommandContext => ({ commandId, accountId, actor, correlationId: request.id, causationId: request.id });

/** From where the person behind a request acted. */
export const originOf = (request: FastifyRequest): Origin => ({
  ip: addressOf(request),
  userAgent: (request.headers["user-agent"] ?? "").slice(0, MAX_USER_AGENT_LENGTH),
});

/** Who asks for a document, and from where: the account by its registered name, the key that was shown, the address. */
export const requesterOf = (
  request: FastifyRequest,
  { name: accountName, keys }: OpenAccount,
): { requester: Requester; requestIp: string | null } => {
  const { keyId } = callerOf(request);
  return { requester: { accountName, keyId, keyName: keys[keyId]?.name ?? null }, requestIp: addressOf(request) };
};
