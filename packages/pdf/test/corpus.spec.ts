import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock, systemRandom } from "@rubrica/runtime";
import { expect, test } from "vitest";
import { type Outcome, runCorpus } from "../corpus/run.ts";
import { createPdfEngine, loadOrCreateSigningIdentity } from "../src/index.ts";
import { corpusFolder, has } from "./tools.ts";

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
      for await (const outcome of runCorpus(files, engine, identity, systemClock)) outcomes.push(outcome);
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
  120_000,
);
