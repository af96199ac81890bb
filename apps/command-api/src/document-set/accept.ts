import { type AcceptedDocument, acceptDocument, acceptedDocument } from "@rubrica/commands";
import { openedAccount } from "@rubrica/domain";
import { callerOf, senderOf } from "@rubrica/http";
import type { FastifyRequest } from "fastify";
import { contextOf, requesterOf } from "../context.ts";
import type { CommandApiDependencies } from "../dependencies.ts";
import { repeatableRequest } from "../idempotency.ts";
import type { Parsed } from "../schemas.ts";
import type { DocumentSetBody } from "./body.ts";
import { checkedRequest } from "./check.ts";
import { toRequest } from "./to-request.ts";

/** The versions of the document request. */
export type Version = "v2" | "legacy";

/** Where each version is asked for. */
export const addresses = { v2: "/api/v2/documentSet", legacy: "/api/documentSet" } as const satisfies Record<
  Version,
  string
>;

/**
 * Accepts what a request asks for, or finds what it asked for before.
 * @throws {BadRequestError} @throws {HttpError} when it is refused.
 */
export const accept = async (
  request: FastifyRequest,
  parsed: Parsed<DocumentSetBody>,
  dependencies: CommandApiDependencies,
  version: Version,
): Promise<AcceptedDocument> => {
  const { handlers, files, runtime, secrets, pdf, limits, retentionDays } = dependencies;
  const { accountId } = callerOf(request);
  const contextFor = (documentId: string) => contextOf(request, "integrator", accountId, documentId);
  const route = `POST ${addresses[version]}`;
  const repeatable = parsed.ok
    ? await repeatableRequest(dependencies, request, route, parsed.body, (id) => id)
    : undefined;
  const knownId = await repeatable?.resultId();
  const known = knownId && (await acceptedDocument(handlers, knownId, contextFor(knownId)));
  if (known) return known;
  const account = openedAccount(await handlers.accounts.load(accountId));
  const now = runtime.clock.now();
  const fetcher = version === "legacy" ? dependencies.fetcher : null;
  const checked = await checkedRequest(
    request,
    parsed,
    { pdf, fetcher, maxBytes: limits.documentBytes, caller: senderOf(request).name },
    account,
    now,
  );
  const newId = knownId ?? runtime.ids.uuidv7();
  const documentId = (await repeatable?.claim(newId)) ?? newId;
  const parts = { documentId, channel: version, account, ids: runtime.ids, secrets, retentionDays, now };
  const document = toRequest(checked, { ...parts, ...requesterOf(request, account) });
  return acceptDocument(handlers, files, document, contextFor(documentId));
};
