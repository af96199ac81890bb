import { analyticTables, type Field, snakeCase, type Table } from "../../src/index.ts";
import { questions } from "./questions.ts";

const holds = ({ type, values, unit }: Field): string =>
  [type, ...(unit ? [`(${unit})`] : []), ...(values ? [`: ${values.map((one) => `\`${one}\``).join(", ")}`] : [])]
    .join(" ")
    .replace(" :", ":");

const line = (field: Field): string => {
  const { name, about, example, nullable, erasure, since } = field;
  const sql = snakeCase(name);
  const names = sql === name ? `\`${sql}\`` : `\`${sql}\`, \`${name}\``;
  const told = `${holds(field)}${nullable ? ", or null" : ""}`;
  return `| ${names} | ${told} | ${about} | \`${example}\` | ${erasure === "null" ? "becomes null" : "stays"} | ${since} |`;
};

const section = (table: Table): string => `### ${table.name}

${table.about}${table.select ? " A view over `signers`, where there are views." : ""}

| column, field | type | what | example | at erasure | since |
|---|---|---|---|---|---|
${table.fields.map(line).join("\n")}`;

const STATES = `| a document is | from |
|---|---|
| \`requested\` | \`DocumentRequested\` |
| \`waiting\` | \`SignerQueued\`: the signer whose turn it is waits for another document on their phone |
| \`in_progress\` | \`SignerTurnCame\`, \`SigningPageOpened\` or \`DocumentSigned\` |
| \`completed\` | \`DocumentCompleted\`: all have signed |
| \`sealed\` | \`DocumentSealed\` |
| \`rejected\` | \`Rejected\` |
| \`withdrawn\` | \`DocumentWithdrawn\`: canceled, expired, or erased while it was open |
| \`failed\` | \`PreparationFailed\`: a bulk call's row |

| a signer is, the first that is so from below | when |
|---|---|
| \`queued\` | nothing of what follows came, or not since \`SignerCorrected\` |
| \`asked\` | \`MessageSent\`; where the document sends no messages, \`SignerTurnCame\` |
| \`reached\` | \`MessageDelivered\` or \`MessageRead\` of a message that asks, or \`ContinueRefused\` |
| \`continued\` | \`TemplateAnswered\` |
| \`unreachable\` | \`MessageFailed\` of a message that asks, for good, until \`ResendRequested\` or \`SignerCorrected\` |
| \`opened\` | \`SigningPageOpened\`, or a photo |
| \`identified\` | all three photos are approved, where photos are validated |
| \`rejected\` | \`Rejected\` |
| \`signed\` | \`DocumentSigned\` |`;

const indented = (text: string): string => text.replaceAll(/^/gm, "   ");

/** As it is typed into a shell: names bare where they may be. */
const shellOf = (value: object): string =>
  JSON.stringify(value)
    .replaceAll(/"([A-Za-z_$][\w$]*)":/g, "$1: ")
    .replaceAll(",", ", ");

const question = (
  { asks, sql, duckdb, mongodb: [view, pipeline] }: (typeof questions)[number],
  index: number,
): string => `${index + 1}. ${asks}

   \`\`\`sql
${indented(sql)}
   \`\`\`
${duckdb ? `\n   In DuckDB:\n\n   \`\`\`sql\n${indented(duckdb)}\n   \`\`\`\n` : ""}
   \`\`\`js
${indented(`db.${view}.aggregate([\n${pipeline.map((stage) => `  ${shellOf(stage)},\n`).join("")}])`)}
   \`\`\``;

const names = Object.values(analyticTables).map(({ name }) => `"${name}"`);

/** How DuckDB is given the file, its extension for SQLite loaded. */
export const DUCKDB_ATTACH = "ATTACH 'analysts.sqlite' AS rubrica (TYPE sqlite); USE rubrica;";

/** The commands that give analysts on MongoDB a role and a user. */
export const roleCommands: readonly string[] = [
  `db.createRole({ role: "analyst", roles: [], privileges: [${names.join(", ")}].map((collection) => ({ resource: { db: db.getName(), collection }, actions: ["find"] })) });`,
  'db.createUser({ user: "analyst", pwd: passwordPrompt(), roles: ["analyst"] });',
];

/** The role that the first of them makes in a database of that name. */
export const roleBy = (database: string): { role: string; roles: unknown[]; privileges: unknown[] } => {
  const createRole = (role: unknown) => role;
  return new Function("db", `return ${roleCommands[0]}`)({ getName: () => database, createRole });
};

/** `docs/read-models.md`, of which tables and questions are what the code declares and the tests ask. */
export const readModelsPage = (): string => `# Read models for analysts

What happened to documents, signers, messages and webhooks, as tables. They follow from the events, as all read models do: they can be deleted, and are built anew. They name nobody: no name, text, phone, link, reason, custom parameter or hash of a file is in them. Times are when the service recorded them, in UTC. This page is made of the declarations (\`packages/read-models/src/analytics/tables.ts\`) by a test; \`npx vitest run --project quick packages/read-models/test/analytics --update\` writes it anew.

## Where they are

- **A file of their own**, which is what analysts are to be given: nothing but these tables is in it, as they were at one moment. It is its owner's alone until you say otherwise (\`chmod\`).

  \`\`\`
  npm run rubrica -- analytics snapshot --to analysts.sqlite
  \`\`\`

  Run it as often as the figures are to be fresh: the new file takes the old one's place when it is whole, and is open to whom that was. No other file is replaced by it. On engines each document is as it is when its turn comes.
- **CSV** (RFC 4180, UTF-8), a file for each table but \`funnel\`. What a spreadsheet would calculate has an apostrophe before it.

  \`\`\`
  npm run rubrica -- analytics export --to analysts
  \`\`\`
  The files take the former ones' places one after the other, in a moment; \`csv.sha256\` comes last. Who reads right then, or after a run that was cut then, may have some of each: copy the folder, and \`sha256sum --check csv.sha256\` in the copy tells whether all are of one run.
- **Parquet**, with \`--format parquet\`: the same files, in which times are timestamps in UTC, ints 64 bits wide, and flags booleans. Their sums are in \`parquet.sha256\`.
- **Embedded**, in \`DATA_DIR/read-models.sqlite\`, under the same names, as views over what is live: a rebuild, or a release that lays them out otherwise, puts them on the new tables in the transaction in which it takes effect. The folder holds keys as well, so it is for its owner alone. Open it read-only, and close what you have asked: while a query is open, all that is written stays in \`read-models.sqlite-wal\` beside it, which is cut when they are done; other tables of that file are the service's, and change without notice.
- **MongoDB**: views of the same names in the service's database, with the fields by their camelCase names. Times are dates, ints are 64 bits wide. After a rebuild, or a release that lays them out otherwise, they show the new collection once it has caught up; who is in the middle of a query has 15 minutes to come to its end. Give analysts a user of a role that may read them alone, and is refused all else, keys and files too. In mongosh, in the service's database:

  \`\`\`js
  ${roleCommands.join("\n  ")}
  \`\`\`

  They connect with \`authSource\` as that database. FerretDB 1.24 has no views. There one record a document is in the collection that \`readModels\` tells, with the fields of \`documents\`, and \`rows.signers\`, \`rows.messages\`, \`rows.webhooks\`, \`rows.log_entries\` as arrays; other fields of the record are the service's, and many operators of pipelines are missing.

  \`\`\`js
  const { live, version } = db.readModels.find({ name: "analytics", "live": { $ne: null } }).sort({ version: -1 }).limit(1).next();
  const number = live.number.toString(16).padStart(12, "0");
  db["readModel.analytics." + version + "." + number].aggregate([{ $match: { state: { $ne: null } } }, { $group: { _id: "$state", documents: { $sum: 1 } } }]);
  \`\`\`

DuckDB reads the file as it is, and Parquet; spreadsheets take the CSV:

\`\`\`sql
INSTALL sqlite; LOAD sqlite; ${DUCKDB_ATTACH}
SELECT state, count(*) FROM documents GROUP BY state;
SELECT date_trunc('week', requested_at) AS week, count(*) FROM 'analysts/documents.parquet' GROUP BY week;
\`\`\`

## States

${STATES}

## Tables

An \`id\`, an \`enum\` and a \`text\` are text; a \`time\` is text in ISO 8601 in SQLite and CSV, which sorts, and which SQLite's functions of dates take, and DuckDB's as \`requested_at::TIMESTAMP\`; a \`flag\` is 1 or 0 in SQLite. \`since\` is the version of the collection that had the field first.

${Object.values(analyticTables).map(section).join("\n\n")}

## Questions

Each in SQL for the file or the views, which SQLite and DuckDB take as it is where nothing else is said, and as a pipeline for MongoDB 8. Campaigns are numbered by account: group by both.

${questions.map(question).join("\n\n")}
`;
