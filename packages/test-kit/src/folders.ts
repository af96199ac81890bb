import { lstatSync, mkdtempSync, readdirSync, rmSync, type Stats } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder of its own under the system's temporary one, deleted with all that is in it when it is disposed of. */
export const temporaryFolder = (): Disposable & { path: string } => {
  const path = mkdtempSync(join(tmpdir(), "rubrica-test-"));
  return {
    path,
    // A service that was killed, or a helper of its, may still be giving its files back to the system: for up to ten
    // seconds, since each pause is longer than the one before it.
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }),
  };
};

/** What is looked at, or undefined where that is gone: another process may have removed it, or ended, since it was listed. */
export const unlessGone = <Seen>(look: () => Seen): Seen | undefined => {
  try {
    return look();
  } catch (error) {
    if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
};

/** Everything under a folder and what it is, as `lstat` says. Processes may write there meanwhile. */
export const allUnder = (folder: string): { path: string; stats: Stats }[] =>
  (unlessGone(() => readdirSync(folder)) ?? []).flatMap((name) => {
    const path = join(folder, name);
    const stats = unlessGone(() => lstatSync(path));
    if (!stats) return [];
    return [{ path, stats }, ...(stats.isDirectory() ? allUnder(path) : [])];
  });
