import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPdfEngine, loadOrCreateSigningIdentity, type PdfEngine, type SigningIdentity } from "@rubrica/pdf";
import { systemClock, systemRandom } from "@rubrica/runtime";
import { afterAll } from "vitest";

/** An engine of one helper, and an identity to seal with, for all tests of a file; closed after them. */
export const openedEngine = async (): Promise<{ engine: PdfEngine; identity: SigningIdentity }> => {
  const folder = mkdtempSync(join(tmpdir(), "rubrica-engine-"));
  const engine = createPdfEngine({ clock: systemClock, processes: 1 });
  afterAll(async () => {
    await engine.close();
    rmSync(folder, { recursive: true });
  });
  return { engine, identity: await loadOrCreateSigningIdentity(folder, "http://localhost", systemClock, systemRandom) };
};
