import type { BulkCall } from "@rubrica/commands";
import type { OpenAccount } from "@rubrica/domain";
import { countryOfPhone, phoneLine } from "@rubrica/identity";
import type { Placement } from "@rubrica/pdf";
import { phoneLineId, type Secrets } from "@rubrica/secrets";
import type { BulkBody, BulkRowInput } from "./body.ts";

/** Where the signatures go; page 0 means all pages. */
export const placementOf = ({ page, position_x: x, position_y: y }: BulkBody["firmante"]): Placement => ({
  pages: page === 0 ? "all" : page,
  x,
  y,
});

/** What fills the template: every key of the row, as it was given. */
export type RowVariables = Readonly<Record<string, string | number | boolean | null>>;

/**
 * The domain's form of a checked body.
 *
 * @param rows the rows as they were given
 */
export const toCall = (
  body: BulkBody,
  rows: readonly RowVariables[],
  { accountId, plan, businessName }: OpenAccount,
  secrets: Secrets,
): BulkCall => {
  const placement = placementOf(body.firmante);
  return {
    account: { accountId, plan, businessName },
    requestPhotos: body.request_photos ?? null,
    validatePhotos: body.validate_photos ?? null,
    webhook: body.webhook_url === undefined ? null : { url: body.webhook_url, headers: body.webhook_key ?? {} },
    rows: body.df.map((row, index) => ({
      idCustom: idCustomOf(row),
      name: row["nombre y apellido"],
      idNumber: row.dni,
      idNumberCountry: countryOfPhone(row.msg),
      phone: row.msg,
      lineId: phoneLineId(secrets, accountId, phoneLine(row.msg)),
      placement,
      variables: { ...rows[index] },
    })),
  };
};

/** The row's own id, else its phone. */
const idCustomOf = ({ id, msg }: BulkRowInput): string =>
  id === undefined || id === null || id === "" ? msg : `${id}`;
