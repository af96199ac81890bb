import { acceptBulk, type BulkOutcome, continueBulk } from "@rubrica/commands";
import { openedAccount } from "@rubrica/domain";
import { BadRequestError, callerOf, HttpError, senderOf } from "@rubrica/http";
import type { JsonObject } from "@rubrica/json";
import type { FastifyRequest } from "fastify";
import { contextOf, requesterOf } from "../context.ts";
import type { CommandApiDependencies } from "../dependencies.ts";
import { expiryFaults } from "../fields/expiry.ts";
import { isWebUrl, readFileField } from "../fields/file.ts";
import { undrawableFaults } from "../fields/names.ts";
import { repeatableRequest } from "../idempotency.ts";
import { warn } from "../warnings.ts";
import type { CheckedBulk, RowVariables } from "./body.ts";
import { checkBulkBody } from "./check.ts";
import { proveTemplate } from "./proof.ts";
import { placementOf, toCall } from "./to-call.ts";
import { bulkWarnings } from "./warnings.ts";

export const BULK_ADDRESS = "/api/sendCargaMasiva";

const noCredits = () => new HttpError(429, { error: "No te quedan firmas disponibles." });

/**
 * Accepts a bulk call, or finds what it made before; gives the call's id. Everything is checked before anything is
 * stored.
 * @throws {BadRequestError} @throws {HttpError} when it is refused.
 */
export const accept = async (request: FastifyRequest, dependencies: CommandApiDependencies): Promise<string> => {
  const { limits, allowPrivateUrls } = dependencies;
  const { body, rows } = await checkBulkBody(request.body, { ...limits, allowPrivateUrls });
  warn(request, bulkWarnings(request.body, body, rows));
  const repeatable = await repeatableRequest(dependencies, request, `POST ${BULK_ADDRESS}`, contentOf(body, rows));
  const knownId = await repeatable?.resultId();
  const known = knownId && (await continued(request, dependencies, knownId));
  if (known) return answered(knownId, known);
  const { template, call } = await checked(request, dependencies, body, rows);
  const newId = knownId ?? dependencies.runtime.ids.uuidv7();
  const bulkId = (await repeatable?.reserve(newId)) ?? newId;
  const context = contextOf(request, "integrator", call.account.accountId, bulkId);
  return answered(bulkId, await acceptBulk(dependencies, { bulkId, template, call }, context));
};

/** All that a call says: each row as it was given, its signer as it was checked. Made row by row, as it is gone through. */
const contentOf = (body: CheckedBulk, rows: readonly RowVariables[]): JsonObject => ({
  ...body,
  df: {
    *[Symbol.iterator]() {
      for (const [index, row] of rows.entries()) yield { ...row, ...body.df[index] };
    },
  },
});

const answered = (bulkId: string, outcome: BulkOutcome): string => {
  if (outcome === "refused") throw noCredits();
  return bulkId;
};

/** What comes of a call that was requested before; undefined when it was not. */
const continued = async (
  request: FastifyRequest,
  dependencies: CommandApiDependencies,
  bulkId: string,
): Promise<BulkOutcome | undefined> => {
  const { status } = await dependencies.handlers.bulks.load(bulkId);
  if (status === "none") return undefined;
  return continueBulk(dependencies, bulkId, contextOf(request, "integrator", callerOf(request).accountId, bulkId));
};

/**
 * The template and the call, once all that can be known to be wrong with them is not. Credits are looked at before
 * anything is fetched, filled or converted, and after what the body alone tells.
 */
const checked = async (
  request: FastifyRequest,
  dependencies: CommandApiDependencies,
  body: CheckedBulk,
  rows: readonly RowVariables[],
) => {
  const { handlers, fetcher, limits, runtime } = dependencies;
  const faults = expiryFaults(body, runtime.clock.now());
  if (faults.length > 0) throw new BadRequestError(faults);
  const reader = { fetcher, maxBytes: limits.documentBytes };
  const given = isWebUrl(body.document) ? undefined : await readFileField(reader, body.document);
  const account = openedAccount(await handlers.accounts.load(callerOf(request).accountId));
  if (account.balance < rows.length) throw noCredits();
  await refuseUndrawable(dependencies, body, senderOf(request).name);
  const template = given ?? (await readFileField(reader, body.document));
  const toProve = { template, variables: rows[0] ?? {}, placement: placementOf(body.firmante) };
  warn(request, await proveTemplate(dependencies, { ...toProve, caller: senderOf(request).name }));
  const asking = requesterOf(request, account);
  return { template, call: await toCall(body, rows, { account, ...asking }, dependencies) };
};

/** @throws {BadRequestError} naming the rows whose names could not be printed as they are. */
const refuseUndrawable = async (
  { pdf }: CommandApiDependencies,
  { df: rows }: CheckedBulk,
  caller: string,
): Promise<void> => {
  const names = rows.map((row) => row["nombre y apellido"]);
  const faults = undrawableFaults(await pdf.undrawable(names, caller), (row) => `df[${row}].nombre y apellido`);
  if (faults.length > 0) throw new BadRequestError(faults);
};
