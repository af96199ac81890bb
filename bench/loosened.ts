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

/** The limits before they were changed last, and the rows that this commit added to `limits.md`. */
const lastChange = (folder: string): { before: Limits; said: string } | undefined => {
  const git = (...args: string[]): string =>
    execFileSync("git", args, { encoding: "utf8", cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
  try {
    const commit = git("log", "-1", "--format=%H", "--", "limits.json").trim();
    const added = git("show", "--format=", "--unified=0", commit, "--", "limits.md").match(/^\+\|.*$/gm) ?? [];
    return { before: JSON.parse(git("show", `${commit}~1:./limits.json`)), said: added.join("\n") };
  } catch {
    // No history, or no limits before.
    return undefined;
  }
};

/** Limits of the folder that their last change made easier to hold, and that no row which came with it names. */
export const loosened = (folder: string): string[] => {
  const last = lastChange(folder);
  if (!last) return [];
  const limits = limitsIn(folder);
  const { before, said } = last;
  const ratios = Object.entries(before.ratios).filter(([name, { least, most }]) => {
    const now = limits.ratios[name];
    return (
      !now || (least !== undefined && (now.least ?? 0) < least) || (most !== undefined && (now.most ?? 1e9) > most)
    );
  });
  const counts = Object.entries(before.counts).filter(([name, count]) => (limits.counts[name] ?? 1e9) > count);
  return [...ratios, ...counts].map(([name]) => name).filter((name) => !new RegExp(`\\b${name}\\b`).test(said));
};
