// Whether limits of the guard were loosened without a word: its last change is read from the history of the repository.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** `limits.json`: what the guard holds. */
export interface Limits {
  /** `least`: where more is better; `most`: where less is better. */
  ratios: Record<string, { least?: number; most?: number }>;
  counts: Record<string, number>;
}

export const limitsIn = (folder: string): Limits => JSON.parse(readFileSync(join(folder, "limits.json"), "utf8"));

/** A change of the limits: what they were before and after it, and the rows that the same commit added to `limits.md`. */
interface Change {
  before: Limits;
  after: Limits;
  said: string;
}

/** The changes of a folder's limits, the latest first, what is not committed before all; none where there is no history. */
const changesIn = (folder: string): Change[] => {
  const git = (...args: string[]): string =>
    execFileSync("git", args, { encoding: "utf8", cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
  const limitsAt = (commit: string): Limits => JSON.parse(git("show", `${commit}:./limits.json`));
  const rowsAddedBy = (...command: string[]): string =>
    (git(...command, "--unified=0", "--", "limits.md").match(/^\+\|.*$/gm) ?? []).join("\n");
  try {
    const uncommitted = { before: limitsAt("HEAD"), after: limitsIn(folder), said: rowsAddedBy("diff", "HEAD") };
    const commits = git("log", "--format=%H", "--", "limits.json").trim().split("\n");
    // The first one made them.
    const committed = commits.slice(0, -1).map((commit) => ({
      before: limitsAt(`${commit}~1`),
      after: limitsAt(commit),
      said: rowsAddedBy("show", "--format=", commit),
    }));
    return [uncommitted, ...committed];
  } catch {
    return [];
  }
};

/** Names of what is easier to hold by the later limits. */
const easier = (before: Limits, after: Limits): string[] => {
  const ratios = Object.entries(before.ratios).filter(([name, { least, most }]) => {
    const now = after.ratios[name];
    return (
      !now || (least !== undefined && (now.least ?? 0) < least) || (most !== undefined && (now.most ?? 1e9) > most)
    );
  });
  const counts = Object.entries(before.counts).filter(([name, count]) => (after.counts[name] ?? 1e9) > count);
  return [...ratios, ...counts].map(([name]) => name);
};

const isNamed = (name: string, said: string): boolean => new RegExp(`\\b${name}\\b`).test(said);

/**
 * Limits of the folder that some change of them made easier to hold, and that no row which came with it names; but for those
 * that were made as hard again since, or easier with a row.
 */
export const loosened = (folder: string): string[] => {
  const now = limitsIn(folder);
  const [accounted, found] = [new Set<string>(), new Set<string>()];
  for (const { before, after, said } of changesIn(folder)) {
    const stillEasier = easier(before, now);
    for (const name of easier(before, after)) {
      if (isNamed(name, said)) accounted.add(name);
      else if (stillEasier.includes(name) && !accounted.has(name)) found.add(name);
    }
  }
  return [...found];
};
