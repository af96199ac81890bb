import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const PACKAGE = "@matbee/libreoffice-converter";
const PROGRAM = "soffice.cjs";
/** With four threads, documents with pictures wait for a fifth for ever. */
const FEW_THREADS = "pthreadPoolSize=4;";
const ENOUGH_THREADS = "pthreadPoolSize=16;";

/** Where the optional package with LibreOffice as WASM is; undefined where it is not installed. */
export const findWasm = (): string | undefined => {
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`)), "wasm");
  } catch {
    return undefined;
  }
};

/** Makes `folder` a copy of the package's WASM folder with enough threads; the large files are links. @throws {Error} */
export const prepareWasmFolder = async (wasm: string, folder: string): Promise<void> => {
  const program = await readFile(join(wasm, PROGRAM), "utf8");
  if (!program.includes(FEW_THREADS)) throw new Error(`${PACKAGE} is of a version that is not known`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(wasm)) {
    if (name !== PROGRAM) await symlink(join(wasm, name), join(folder, name));
  }
  await writeFile(join(folder, PROGRAM), program.replace(FEW_THREADS, ENOUGH_THREADS), { mode: 0o600 });
};
