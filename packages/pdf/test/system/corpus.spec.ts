import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock, systemRandom } from "@rubrica/runtime";
import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { corpusFolder, has } from "@rubrica/test-kit/pdf/tools";
import { expect, test } from "vitest";
import { isOverMarks } from "../../corpus/marks.ts";
import { type Outcome, runCorpus } from "../../corpus/run.ts";
import { createPdfEngine, loadOrCreateSigningIdentity } from "../../src/index.ts";

const corpus = corpusFolder();
const tools = has("pdfsig") && has("qpdf") && has("pdftoppm");

test.skipIf(corpus === null || !tools)(
  "signed files of others' making come out good or are refused with a reason",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "rubrica-corpus-"));
    const engine = createPdfEngine({ clock: systemClock, processes: 1 });
    try {
      const identity = await loadOrCreateSigningIdentity(folder, "http://localhost", systemClock, systemRandom);
      const outcomes: Outcome[] = [];
      const files = join(corpus ?? "", "pyhanko");
      const bench = { engine, identity, clock: systemClock, pyHanko: null, timestampUrl: null };
      for await (const outcome of runCorpus(files, bench)) outcomes.push(outcome);
      expect(outcomes.length).toBeGreaterThan(0);
      expect(outcomes.filter(({ kind }) => kind === "bad" || kind === "crashed")).toEqual([]);
      expect(
        outcomes.filter(({ healthy, kind, reason }) => healthy && kind === "refused" && reason === "broken"),
      ).toEqual([]);
    } finally {
      await engine.close();
      rmSync(folder, { recursive: true });
    }
  },
);

test.skipIf(!has("pdftoppm"))("a stamp over anything drawn is told from one over a plain ground", async () => {
  const folder = mkdtempSync(join(tmpdir(), "rubrica-corpus-"));
  const path = join(folder, "page.pdf");
  const isOver = (content: string) => {
    writeFileSync(path, pdf({ pages: [{ content }] }));
    return isOverMarks(path, { page: 1, pageWidth: 595, x: 100, y: 742 });
  };
  try {
    expect(await isOver("")).toBe(false);
    expect(await isOver("0 0 0.6 rg 0 0 595 842 re f")).toBe(false);
    expect(await isOver("0 0 1 RG 110 40 m 160 60 l S")).toBe(true);
    expect(await isOver("0 0 1 RG 300 40 m 400 60 l S")).toBe(false);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
