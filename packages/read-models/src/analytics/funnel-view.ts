import type { Field } from "./field.ts";

/** The funnel of the signers, in SQL. */
export const funnelSelect = `SELECT document_id, account_id, campaign_id, channel, "order", medium, country,
    substr(requested_at, 1, 10) AS day,
    1 AS requested,
    CASE WHEN medium = 'email' THEN NULL ELSE furthest >= 1 END AS reached,
    CASE WHEN medium = 'wpp' THEN furthest >= 2 END AS continued,
    furthest >= 3 AS opened,
    CASE WHEN identity_required THEN furthest >= 4 END AS identified,
    signed_at IS NOT NULL AS signed,
    rejected_at IS NOT NULL AS rejected,
    withdrawn_at IS NOT NULL AS withdrawn,
    state = 'unreachable' AS unreachable,
    ms_to_sign, ms_to_sign_from_turn
  FROM signers`;

/** `rows.signers` once it is unwound. */
const OF_SIGNER = "$rows.signers.";
const came = (step: number) => ({ $toInt: { $gte: [`${OF_SIGNER}furthest`, step] } });
const happened = (at: string) => ({ $toInt: { $ne: [`${OF_SIGNER}${at}`, null] } });
const funnelFields = {
  day: { $dateToString: { date: `${OF_SIGNER}requestedAt`, format: "%Y-%m-%d" } },
  requested: { $literal: 1 },
  reached: { $cond: [{ $eq: [`${OF_SIGNER}medium`, "email"] }, null, came(1)] },
  continued: { $cond: [{ $eq: [`${OF_SIGNER}medium`, "wpp"] }, came(2), null] },
  opened: came(3),
  identified: { $cond: [`${OF_SIGNER}identityRequired`, came(4), null] },
  signed: happened("signedAt"),
  rejected: happened("rejectedAt"),
  withdrawn: happened("withdrawnAt"),
  unreachable: { $toInt: { $eq: [`${OF_SIGNER}state`, "unreachable"] } },
};

/** The same of a collection of documents, with the table's fields, for MongoDB. */
export const funnelPipeline = (fields: readonly Field[]) => [
  { $unwind: "$rows.signers" },
  {
    $project: {
      _id: 0,
      ...Object.fromEntries(fields.map(({ name }) => [name, `${OF_SIGNER}${name}`])),
      ...funnelFields,
    },
  },
];
