import type { BulkCall, BulkRow } from "@rubrica/commands";
import type { OpenAccount } from "@rubrica/domain";
import { countryOfPhone, phoneLine } from "@rubrica/identity";
import type { Placement } from "@rubrica/pdf";
import { pacer } from "@rubrica/runtime";
import { phoneLookup } from "@rubrica/secrets";
import type { CommandApiDependencies } from "../dependencies.ts";
import { emailAddressOf } from "../fields/email-address.ts";
import { expiryOf } from "../fields/expiry.ts";
import { remindersOf } from "../fields/reminders.ts";
import type { BulkSigner, CheckedBulk, RowVariables } from "./body.ts";

/** Signers that are looked at in one iteration of the event loop: of each phone the country is found. */
const SIGNERS_AT_ONCE = 50;

/** Where the signatures go; page 0 means all pages. */
export const placementOf = ({ page, position_x: x, position_y: y }: CheckedBulk["firmante"]): Placement => ({
  pages: page === 0 ? "all" : page,
  x,
  y,
});

/**
 * The domain's form of a checked body.
 *
 * @param rows the rows as they were given
 */
export const toCall = async (
  body: CheckedBulk,
  rows: readonly RowVariables[],
  {
    account: { accountId, plan, businessName, webhookEvents },
    ...asking
  }: Pick<BulkCall, "requester" | "requestIp"> & { account: OpenAccount },
  { secrets, retentionDays, runtime }: Pick<CommandApiDependencies, "secrets" | "retentionDays" | "runtime">,
): Promise<BulkCall> => {
  const placement = placementOf(body.firmante);
  const toRow = (row: BulkSigner, index: number): BulkRow => ({
    idCustom: idCustomOf(row),
    name: row["nombre y apellido"],
    idNumber: row.dni,
    idNumberCountry: countryOfPhone(row.msg),
    phone: row.msg,
    email: emailAddressOf(rows[index]?.email),
    phoneLookup: phoneLookup(secrets, accountId, phoneLine(row.msg)),
    placement,
    variables: rows[index] ?? {},
  });
  const pace = pacer(SIGNERS_AT_ONCE);
  const callRows: BulkRow[] = [];
  for (const [index, row] of body.df.entries()) {
    await pace(1);
    callRows.push(toRow(row, index));
  }
  return {
    account: { accountId, plan, businessName, webhookEvents },
    ...asking,
    requestPhotos: body.request_photos ?? null,
    validatePhotos: body.validate_photos ?? null,
    retentionDays,
    expiresAt: expiryOf(body, null, runtime.clock.now()),
    reminders: remindersOf(body.reminders),
    timeZone: body.time_zone ?? null,
    webhook: body.webhook_url === undefined ? null : { url: body.webhook_url, headers: body.webhook_key ?? {} },
    rows: callRows,
  };
};

/** The row's own id, else its phone. */
const idCustomOf = ({ id, msg }: BulkSigner): string => (id === undefined || id === null || id === "" ? msg : `${id}`);
