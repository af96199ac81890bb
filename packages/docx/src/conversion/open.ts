import type { Clock, Random } from "@rubrica/runtime";
import { findSoffice, NativeOffice } from "./native/native-office.ts";
import { removeAllTraces } from "./native/traces.ts";
import type { Office } from "./office.ts";
import type { DocxConverter } from "./port.ts";
import { SupervisedConverter } from "./supervised.ts";
import { findWasm } from "./wasm/wasm-folder.ts";
import { WasmOffice } from "./wasm/wasm-office.ts";

/** Processes start when they are needed; under load a start takes many times its second. */
const NATIVE_START_TIMEOUT_MS = 60_000;
/** For all of its starts, of which some come to a standstill. */
const WASM_START_TIMEOUT_MS = 200_000;

/** What one process of each may take, in MB: documents of hundreds of pages stay well below. */
export const OFFICE_MEMORY_MB: Readonly<Record<DocxConverter["engine"], number>> = { native: 1_024, wasm: 3_584 };
/** Documents that wait are in memory; more than these come again later. */
const WAITING = { all: 48, ofOne: 12 };

/** What a converter may be told. */
export interface ConverterOptions {
  clock: Clock;
  random: Random;
  /** For the converter alone: emptied when it opens. Documents lie there, in the clear, while they are converted. */
  folder: string;
  /** LibreOffice's path; without it the search path is searched. */
  soffice?: string | undefined;
  /** Which engines may be used, the preferred one first. */
  engines?: readonly DocxConverter["engine"][];
  /** At once; a native one takes some 200 MB, a WASM one 1.3 to 2.4 GB. */
  processes?: number;
  /** For one document, in one attempt. */
  timeoutMs?: number;
}

/**
 * The converter that this machine can run: LibreOffice as installed, else as WASM from the optional package. No
 * process is started yet.
 * @returns whether the office program can read nothing of this machine but its own; no converter, and a sentence that
 * says what to do, where there is neither.
 */
export const openConverter = async (
  options: ConverterOptions,
): Promise<{ converter: DocxConverter; isConfined: boolean } | { converter: undefined; reason: string }> => {
  const { clock, engines = ["native", "wasm"], timeoutMs = 30_000 } = options;
  await removeAllTraces(options.folder);
  for (const engine of engines) {
    const office = await openOffice(engine, options);
    if (!office) continue;
    const converter = new SupervisedConverter(office, {
      clock,
      timeoutMs,
      processes: options.processes ?? (engine === "native" ? 3 : 1),
      memoryMb: OFFICE_MEMORY_MB[engine],
      waiting: WAITING,
      startTimeoutMs: engine === "native" ? NATIVE_START_TIMEOUT_MS : WASM_START_TIMEOUT_MS,
      documentsPerProcess: 500,
      idleMs: 300_000,
    });
    return { converter, isConfined: office.isConfined };
  }
  return {
    converter: undefined,
    reason:
      options.soffice === undefined
        ? "DOCX cannot be converted: install LibreOffice Writer, name it by SOFFICE, or install the optional npm dependencies"
        : "DOCX cannot be converted: SOFFICE names no program that can be run",
  };
};

const openOffice = async (engine: DocxConverter["engine"], options: ConverterOptions): Promise<Office | undefined> => {
  const { clock, random, folder, soffice } = options;
  if (engine === "native") {
    const path = findSoffice(soffice);
    return path === undefined ? undefined : NativeOffice.open(path, folder, random);
  }
  const wasm = findWasm();
  return wasm === undefined ? undefined : WasmOffice.open(wasm, folder, clock);
};
