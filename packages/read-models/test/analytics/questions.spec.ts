import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { repository, temporaryFolder } from "@rubrica/test-kit";
import { projected } from "@rubrica/test-kit/history";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { analytics, analyticTables, SnapshotFile } from "../../src/index.ts";
import { fourDocuments } from "./four-documents.ts";
import { readModelsPage } from "./page.ts";
import { questions } from "./questions.ts";

describe("what people ask", () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let file: DatabaseSync;
  beforeAll(() => {
    folder = temporaryFolder();
    const path = join(folder.path, "analysts.sqlite");
    using snapshot = new SnapshotFile(path, Object.values(analyticTables));
    for (const record of projected(analytics, fourDocuments().events).values())
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
});

test("the page is made of what is declared and asked", async () => {
  await expect(readModelsPage()).toMatchFileSnapshot(join(repository, "docs", "read-models.md"));
});
