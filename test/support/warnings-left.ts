import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { followOwnWarnings, LEFT_VARIABLE, leftWarnings } from "@rubrica/test-kit/warnings";

/** Fails a run in which a process was warned of something that no file of tests failed of: too late, or beside all files. */
export default (): (() => void) | undefined => {
  // Each project of a run is set up, in one process; the first one judges for all.
  if (process.env[LEFT_VARIABLE] !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "rubrica-warnings-"));
  // Inherited by the processes that run files.
  process.env[LEFT_VARIABLE] = folder;
  followOwnWarnings();
  return () => {
    const left = leftWarnings(folder);
    rmSync(folder, { recursive: true });
    if (left.length > 0) throw new Error(`what the runtime warned of, and no file told:\n${left.join("\n")}`);
  };
};
