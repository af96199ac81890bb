/** What a field holds. An id is text by which rows are joined, a time is UTC, an int is whole, a flag is true or false. */
export type FieldType = "id" | "time" | "int" | "flag" | "enum" | "text";

/** What a field has in a row; a time is in ISO 8601 with milliseconds, ending in `Z`. */
export type Value = string | number | boolean | null;

/** A field of a table, declared once: columns, BSON, files and the docs come of it. */
export interface Field {
  /** In camelCase. In SQLite and in files it is {@link snakeCase}. */
  readonly name: string;
  readonly type: FieldType;
  readonly about: string;
  readonly example: Value;
  /** Whether some rows have null. */
  readonly nullable: boolean;
  /** What a number counts. */
  readonly unit?: string;
  /** All that an enum may be. */
  readonly values?: readonly string[];
  /** What becomes of it when its document's people are erased. */
  readonly erasure: "stays" | "null";
  /** The version of the collection that had it first. */
  readonly since: number;
}

/** A table that analysts ask: its rows follow from one collection's documents. */
export interface Table {
  /** In snake_case: what its view is called. */
  readonly name: string;
  readonly about: string;
  readonly fields: readonly Field[];
  /** Each document has one row, and never another. */
  readonly one?: true;
  /** Where nothing is kept of it: the SQL that makes its rows of other tables' views, its fields in the declared order. */
  readonly select?: string;
  /** The same for MongoDB: the pipeline that makes its rows of the collection's records. */
  readonly pipeline?: readonly object[];
  /** Fields by which rows are found, in the order of the index. They never change. */
  readonly index?: readonly string[];
}

/** What a table's columns and views follow from: the rest of its declaration may be told otherwise from day to day. */
export type TableLayout = Pick<Table, "name" | "one" | "select" | "index"> & {
  readonly fields: readonly Pick<Field, "name" | "type">[];
};

/** As it is kept beside a generation, to lay out by, and to tell whether a declaration still lays out the same. */
export const tableLayoutOf = ({ name, one, select, index, fields }: Table): TableLayout => ({
  name,
  ...(one ? { one } : {}),
  ...(select === undefined ? {} : { select }),
  ...(index ? { index } : {}),
  fields: fields.map((field) => ({ name: field.name, type: field.type })),
});

/** A row, its fields in the declared order. */
export type Row = Readonly<Record<string, Value>>;
/** A document's rows, by the names of their tables. Rows come and change, none goes while its document is there. */
export type Rows = Readonly<Record<string, readonly Row[]>>;

interface Options {
  nullable?: boolean;
  unit?: string;
  erasure?: Field["erasure"];
  since?: number;
}

const of =
  (type: FieldType) =>
  (name: string, about: string, example: Value, { nullable, erasure, since, ...rest }: Options = {}): Field => ({
    name,
    type,
    about,
    example,
    nullable: nullable ?? example === null,
    erasure: erasure ?? "stays",
    since: since ?? 1,
    ...rest,
  });

export const id = of("id");
export const time = of("time");
export const int = of("int");
export const flag = of("flag");
export const text = of("text");
export const choice = (name: string, about: string, values: readonly string[], options: Options = {}): Field => ({
  ...of("enum")(name, about, values[0] ?? null, options),
  values,
});

/** The name of a column: `msToReach` is `ms_to_reach`. */
export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The row that is made of what has the declared fields, among others. */
export const rowOf = ({ fields }: Table, from: object): Row =>
  Object.fromEntries(fields.map(({ name }) => [name, (from as Record<string, Value | undefined>)[name] ?? null]));
