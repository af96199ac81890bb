import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { join } from "node:path";
import { isoTime } from "@rubrica/runtime";
import { type Row, runtime } from "./measure.ts";

const FOLDER = join(import.meta.dirname, "results");
const columns = ["what", "measured", "baseline", "result", "aim"] as const;

/** What a run measured, as it is kept. */
interface Results {
  /** ISO 8601. */
  date: string;
  /** Of the code; `+` where it was changed since. */
  commit: string;
  machine: string;
  extent: "quick" | "full" | "parts";
  rows: readonly Row[];
  /** Parts that could not be measured, and promises of the docs that were not held. */
  failed: readonly string[];
}

const git = (...args: string[]): string => execFileSync("git", args, { encoding: "utf8" }).trim();

const commitOf = (): string => {
  try {
    return `${git("rev-parse", "--short", "HEAD")}${git("status", "--porcelain", "--untracked-files=no") ? "+" : ""}`;
  } catch {
    return "unknown";
  }
};

/** What is measured, line by line, as a file that is written anew after each part: what was measured is kept, however a run ends. */
export class ResultsFile {
  readonly #results: Results;
  readonly #rows: Row[] = [];
  readonly #failed: string[] = [];
  readonly #folder: string;

  constructor(extent: Results["extent"], folder = FOLDER) {
    this.#folder = folder;
    const machine = `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? "unknown"}, Node ${process.versions.node}`;
    const date = isoTime(runtime.clock.now());
    this.#results = { date, commit: commitOf(), machine, extent, rows: this.#rows, failed: this.#failed };
  }

  get failed(): readonly string[] {
    return this.#failed;
  }

  add(rows: readonly Row[]): void {
    this.#rows.push(...rows);
    this.#failed.push(...rows.filter(({ isHeld }) => isHeld === false).map(({ what }) => what));
    this.#write();
  }

  fail(part: string): void {
    this.#failed.push(part);
    this.#write();
  }

  /** A table for a terminal, with notes below it. */
  table(): string {
    const rows = this.#rows;
    const widths = columns.map((column) => Math.max(column.length, ...rows.map((row) => row[column].length)));
    const line = (cells: readonly string[]) => cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join("  ");
    return [
      line(columns),
      line(widths.map((width) => "─".repeat(width))),
      ...rows.map((row) => line(columns.map((column) => row[column]))),
      "\nWhere the rest goes:",
      ...rows.map(({ what, note }) => `  ${what}: ${note}`),
    ].join("\n");
  }

  /** A full run is kept with the code. */
  #write(): void {
    mkdirSync(this.#folder, { recursive: true });
    const name = this.#results.extent === "full" ? "full.json" : "last.json";
    writeFileSync(join(this.#folder, name), `${JSON.stringify(this.#results, null, 2)}\n`);
  }
}
