import type { DatabaseSync } from "node:sqlite";
import { analyticTables, snakeCase, type Table } from "@rubrica/read-models";
import type { Recounted } from "./recount.ts";

type Row = Record<string, unknown>;

export const recountedTables = Object.values(analyticTables).filter(({ select }) => select === undefined);

/** Rows as text, in any order; a receiver's id by whose it is. */
const linesOf = ({ fields }: Table, rows: readonly Row[]): string[] =>
  rows
    .map((row) =>
      JSON.stringify(
        fields.map(({ name }) => {
          const value = row[name] ?? null;
          return name === "receiver" && value !== null ? `receiver of ${row.accountId}` : value;
        }),
      ),
    )
    .sort();

/** The first difference of each table, none where all of them are the recount. */
export const differences = (found: Record<string, readonly Row[]>, recounted: Recounted): string[] =>
  recountedTables.flatMap((table) => {
    const [one, other] = [
      linesOf(table, found[table.name] ?? []),
      linesOf(table, recounted[table.name as keyof Recounted]),
    ];
    const at = Array.from({ length: Math.max(one.length, other.length) }, (_, index) => index).find(
      (index) => one[index] !== other[index],
    );
    return at === undefined ? [] : [`${table.name} ${at}: found ${one[at]}, recounted ${other[at]}`];
  });

/** A table as its view shows it, its columns by the fields' names. */
export const viewOf = (database: DatabaseSync, table: Table): Row[] =>
  database
    .prepare(`SELECT * FROM "${table.name}"`)
    .all()
    .map((row) =>
      Object.fromEntries(
        table.fields.map(({ name, type }) => {
          const value = row[snakeCase(name)] ?? null;
          return [name, type === "flag" && value !== null ? value === 1 : value];
        }),
      ),
    );

/** The sums of the funnel's steps, by the signers' rows. */
export const funnelSums = (signers: readonly Row[]): Record<string, number> => {
  const sum = (counts: (signer: Row) => boolean) => signers.filter(counts).length;
  const furthest = (step: number) => (signer: Row) => Number(signer.furthest) >= step;
  return {
    requested: signers.length,
    reached: sum((signer) => signer.medium !== "email" && furthest(1)(signer)),
    continued: sum((signer) => signer.medium === "wpp" && furthest(2)(signer)),
    opened: sum(furthest(3)),
    identified: sum((signer) => signer.identityRequired === true && furthest(4)(signer)),
    signed: sum(({ signedAt }) => signedAt !== null),
    rejected: sum(({ rejectedAt }) => rejectedAt !== null),
    withdrawn: sum(({ withdrawnAt }) => withdrawnAt !== null),
    unreachable: sum(({ state }) => state === "unreachable"),
  };
};
