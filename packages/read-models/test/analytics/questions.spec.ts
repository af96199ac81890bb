import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { hasPythonModule, python, repository, temporaryFolder } from "@rubrica/test-kit";
import { projected } from "@rubrica/test-kit/history";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { analytics, analyticTables, SnapshotFile } from "../../src/index.ts";
import { fiveDocuments } from "./five-documents.ts";
import { DUCKDB_ATTACH, readModelsPage, roleBy } from "./page.ts";
import { questions } from "./questions.ts";

describe("what people ask", () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let path: string;
  let file: DatabaseSync;
  beforeAll(() => {
    folder = temporaryFolder();
    path = join(folder.path, "analysts.sqlite");
    using snapshot = new SnapshotFile(path, Object.values(analyticTables));
    for (const record of projected(analytics, fiveDocuments().events).values())
      snapshot.write(analytics.rowsOf?.(record) ?? {});
    snapshot.finish();
    file = new DatabaseSync(path, { readOnly: true });
  });
  afterAll(() => {
    file.close();
    folder[Symbol.dispose]();
  });

  test("is twelve questions", () => expect(questions).toHaveLength(12));

  test.each(questions)("$asks", ({ sql, answer }) => {
    const rows = file.prepare(sql).all();
    expect(rows.map((row) => ({ ...row }))).toEqual(answer);
  });

  test.skipIf(!hasPythonModule("duckdb_extension_sqlite_scanner", "DuckDB"))(
    "is answered by DuckDB too, which reads the file, as it is printed",
    () => {
      const script = join(import.meta.dirname, "ask-duckdb.py");
      const { stdout, stderr } = spawnSync(python, [script, DUCKDB_ATTACH], {
        cwd: folder.path,
        input: JSON.stringify(questions.map(({ sql, duckdb = sql }) => duckdb)),
        encoding: "utf8",
      });
      expect(stderr).toBe("");
      expect(JSON.parse(stdout)).toEqual(questions.map(({ answer }) => answer));
    },
  );
});

test("the page is made of what is declared and asked", async () => {
  await expect(readModelsPage()).toMatchFileSnapshot(join(repository, "docs", "read-models.md"));
});

test("the role for analysts may find in the six tables' views, and do nothing else", () => {
  const views = ["documents", "signers", "messages", "webhooks", "log_entries", "funnel"];
  const privileges = views.map((collection) => ({ resource: { db: "rubrica", collection }, actions: ["find"] }));
  expect(roleBy("rubrica")).toEqual({ role: "analyst", roles: [], privileges });
});
