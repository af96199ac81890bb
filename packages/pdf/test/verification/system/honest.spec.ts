import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock, systemRandom } from "@rubrica/runtime";
import { temporaryFolder } from "@rubrica/test-kit";
import { pdf, stampOf, textAt } from "@rubrica/test-kit/pdf/fixtures";
import { hasPyHanko } from "@rubrica/test-kit/pdf/tools";
import { expect, test } from "vitest";
import { createPdfEngine, loadOrCreateSigningIdentity, type Verification } from "../../../src/index.ts";

/** Files that another program signed, timestamped and archived as it does. */
const WANTED = Number(process.env.RUBRICA_HONEST ?? 100);
const PYTHON = process.env.RUBRICA_PYTHON ?? "python3";
const SCRIPT = join(import.meta.dirname, "honest", "honest.py");

interface Made {
  seed: number;
  base: string;
  steps: string[][];
}

/** What is to be found of a file: all of it holds, and what others added to what the service sealed is said to be theirs. */
const expected = ({ base, steps }: Made) => ({
  afterSeal: !base.startsWith("sealed")
    ? null
    : steps.some(([kind]) => kind === "signature")
      ? "other"
      : "validation_data_by_others",
  untouched: false,
  intact: true,
  unchanged: true,
});

const found = ({ afterSeal, untouched, signatures }: Verification) => ({
  afterSeal,
  untouched,
  intact: signatures.every(({ intact }) => intact === true),
  unchanged: signatures.every(({ changesAfter }) => changesAfter !== "other"),
});

const page = textAt(50, 700, "Debo 100 pesos");
const originals = {
  table: () => pdf({ pages: [{ content: page }, { content: page }] }),
  stream: () => pdf({ pages: [{ content: page }, { content: page }], crossReference: "stream" }),
};

test.skipIf(!hasPyHanko())(
  "what another program signs and archives in its own way keeps its verdict",
  { timeout: WANTED * 6_000 },
  async () => {
    using folder = temporaryFolder();
    const [bases, out] = [join(folder.path, "bases"), join(folder.path, "out")];
    for (const each of [bases, out]) mkdirSync(each);
    const identity = await loadOrCreateSigningIdentity(folder.path, "http://localhost", systemClock, systemRandom);
    const engine = createPdfEngine({ clock: systemClock, processes: 1 });
    try {
      for (const [name, original] of Object.entries(originals)) {
        writeFileSync(join(bases, `${name}.pdf`), original());
        const sealing = { identity, sealedAt: systemClock.now() };
        const { bytes } = await engine.stampAndSeal(original(), [stampOf()], sealing);
        writeFileSync(join(bases, `sealed-${name}.pdf`), bytes);
      }
      const { stdout, stderr } = spawnSync(PYTHON, [SCRIPT, bases, out, "0", String(WANTED)], { encoding: "utf8" });
      const made = stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Made]));
      expect(made.length, stderr).toBe(WANTED);
      const differing: object[] = [];
      for (const each of made) {
        const bytes = readFileSync(join(out, `${each.seed}.pdf`));
        const verdict = found(await engine.verify(bytes, [...identity.issuers]));
        if (JSON.stringify(verdict) !== JSON.stringify(expected(each))) differing.push({ ...each, ...verdict });
      }
      expect(differing).toEqual([]);
    } finally {
      await engine.close();
    }
  },
);
