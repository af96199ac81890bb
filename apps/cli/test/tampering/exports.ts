import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@rubrica/test-kit";
import { ExportEnd, readExport } from "../../src/audit-export.ts";
import { edits, type Pick } from "./edits.ts";
import { hashedOf, headOver, honestLog, type Line } from "./log.ts";
import { pickFrom, said, unnamed } from "./verdict.ts";

/** An export of these events, with the end that fits them: nothing in it contradicts itself. */
const exportOf = (lines: readonly Line[]): string => {
  const end = new ExportEnd();
  for (const line of lines) end.take(hashedOf(line), line);
  return [...lines.map((line) => JSON.stringify(line)), end.line()].map((line) => `${line}\n`).join("");
};

/** Each kind of tampering with an export by its name. */
export const exportTamperings: Readonly<Record<string, (lines: readonly Line[], pick: Pick) => string>> = {
  "a byte flipped": (lines, pick) => {
    const bytes = Buffer.from(exportOf(lines));
    const at = pick(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << pick(7));
    return bytes.toString("latin1");
  },
  "cut off": (lines, pick) => {
    const text = exportOf(lines);
    return text.slice(0, pick(text.length));
  },
  ...Object.fromEntries(
    Object.entries(edits).map(([kind, edit]) => [
      kind,
      (lines: readonly Line[], pick: Pick) => exportOf(edit(lines, pick)),
    ]),
  ),
};

/** Tamperings of a kind with an export, by seeds, that are not found, or not named. */
export const undetectedInExports = async (kind: string, count: number, seed = 0): Promise<string[]> => {
  using folder = temporaryFolder();
  const path = join(folder.path, "events.ndjson");
  const lines = honestLog();
  const head = headOver(lines);
  const saidOf = (text: string) => {
    writeFileSync(path, text, "latin1");
    return said(() => readExport(path), head);
  };
  const honest = exportOf(lines);
  if ((await saidOf(honest)) !== null) throw new Error("the honest log does not hold");
  const missed: string[] = [];
  for (let number = 0; number < count; number++) {
    const forged = exportTamperings[kind]?.(lines, pickFrom(seed, number)) ?? "";
    if (forged !== honest && unnamed(await saidOf(forged))) missed.push(`${number}`);
  }
  return missed;
};
