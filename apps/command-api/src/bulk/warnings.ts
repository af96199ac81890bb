import type { Fault } from "@rubrica/http";
import { phoneDoubt } from "@rubrica/identity";
import { emailDoubt } from "../fields/email-address.ts";
import { misspeltFields } from "../warnings.ts";
import { BulkBody, type CheckedBulk, type RowVariables } from "./body.ts";

/** Rows whose phones are looked at: beyond so many doubts nothing more is told. */
const MAX_ROWS = 1_000;

/** What is odd about a body that is taken: fields that seem misspelt, phones and e-mail addresses that seem to be nobody's. */
export const bulkWarnings = (given: unknown, { df }: CheckedBulk, rows: readonly RowVariables[]): Fault[] => [
  ...misspeltFields(given, Object.keys(BulkBody.shape)),
  ...df.slice(0, MAX_ROWS).flatMap(({ msg }, index) => faultOf(`df[${index}].msg`, phoneDoubt(msg))),
  ...rows.slice(0, MAX_ROWS).flatMap(({ email }, index) => faultOf(`df[${index}].email`, emailDoubt(email))),
];

const faultOf = (path: string, message: string | undefined): Fault[] =>
  message === undefined ? [] : [{ path, message }];
