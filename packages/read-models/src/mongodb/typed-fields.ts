import type { FieldType, Row, TableLayout } from "../analytics/field.ts";
import type { DocumentChange } from "../port.ts";

/** As MongoDB types it: times as dates, integers as 64 bits wide, whatever their size. */
const typed = ({ type }: { type: FieldType }, value: Row[string] | undefined): unknown => {
  if (value === null || value === undefined) return null;
  if (type === "time") return new Date(String(value));
  return type === "int" ? BigInt(value) : value;
};

const typedRow = ({ fields }: TableLayout, row: Row): Record<string, unknown> =>
  Object.fromEntries(fields.map((field) => [field.name, typed(field, row[field.name])]));

/**
 * What analysts ask of a document: the fields of the table that has one row of it, and under `rows` the rows of the others,
 * all in the declared order. A document that is gone has none: its fields are null, its rows are empty.
 */
export const typedFields = (
  tables: readonly TableLayout[],
  { document, rows }: Pick<DocumentChange, "document" | "rows">,
): Record<string, unknown> => {
  if (tables.length === 0 || (document && !rows)) return {};
  const rowsOf = ({ name }: TableLayout): readonly Row[] =>
    (document && rows?.find(({ table }) => table === name)?.rows) || [];
  const one = tables.find((table) => table.one);
  const others = tables.filter((table) => table !== one && table.select === undefined);
  return {
    ...(one ? typedRow(one, rowsOf(one)[0] ?? {}) : {}),
    rows: Object.fromEntries(others.map((table) => [table.name, rowsOf(table).map((row) => typedRow(table, row))])),
  };
};
