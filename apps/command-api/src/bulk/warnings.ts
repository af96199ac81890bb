import type { Fault } from "@rubrica/http";
import { phoneDoubt } from "@rubrica/identity";
import { misspeltFields } from "../warnings.ts";
import { BulkBody, type CheckedBulk } from "./body.ts";

/** Rows whose phones are looked at: beyond so many doubts nothing more is told. */
const MAX_ROWS = 1_000;

/** What is odd about a body that is taken: fields that seem misspelt, phones that seem to be nobody's. */
export const bulkWarnings = (given: unknown, { df }: CheckedBulk): Fault[] => [
  ...misspeltFields(given, Object.keys(BulkBody.shape)),
  ...df.slice(0, MAX_ROWS).flatMap(({ msg }, index) => {
    const message = phoneDoubt(msg);
    return message === undefined ? [] : [{ path: `df[${index}].msg`, message }];
  }),
];
