import { createWorkerConverter } from "@matbee/libreoffice-converter/server";
import { tellWarnings } from "@rubrica/helpers/warned";
import { systemClock } from "@rubrica/runtime";
import { readDocx } from "../../contents/read-docx.ts";
import { DocxRefused } from "../../refused.ts";
import { isWholePdf } from "../office.ts";
import { warmUpDocument } from "./warm-up-document.ts";
import type { WasmAnswer, WasmQuestion } from "./wasm-office.ts";

/** A process that holds LibreOffice as WASM, and converts what its parent sends. */
const [wasmPath = ""] = process.argv.slice(2);

// First of all: its parent may be gone before the program is loaded.
process.on("disconnect", () => process.exit());
if (!process.connected) process.exit();
tellWarnings((warned) => void process.send?.(warned satisfies WasmAnswer));

/**
 * Less work than this in a second, of all threads, counts as a standstill: then they spend 50 to 80 ms looking for work, and
 * one that works got 200 ms and more on two cores that had fourteen others to serve.
 */
const NO_WORK_US = 120_000;
const IDLE_SECONDS = 4;

let busy = true;

/**
 * Ends the process when it has something to do and does nothing: the program's threads then wait for each other, in
 * the first conversion of about every third process. Its parent would have to guess by a time limit, which a busy
 * machine makes wrong.
 */
const watchForDeadlock = async (): Promise<void> => {
  for (let idleSeconds = 0; idleSeconds < IDLE_SECONDS; ) {
    const before = process.cpuUsage();
    await systemClock.wait(1_000);
    const { user, system } = process.cpuUsage(before);
    idleSeconds = busy && user + system < NO_WORK_US ? idleSeconds + 1 : 0;
  }
  process.exit(1);
};
watchForDeadlock();

const converter = await createWorkerConverter({ wasmPath });

/** How the program says it: its error's code is the same for every fault. */
const CANNOT_LOAD = "Failed to load document";

const toPdf = async (docx: Uint8Array): Promise<Uint8Array> => {
  const { data } = await converter.convert(docx, { inputFormat: "docx", outputFormat: "pdf" }, "document.docx");
  return data;
};

/** The first conversions sometimes "succeed" with next to nothing: no process serves before it has made two whole files. */
const warmUp = async (): Promise<void> => {
  const document = warmUpDocument();
  for (let time = 1; time <= 2; time++) {
    if (!isWholePdf(await toPdf(document))) throw new Error("the converter does not work");
  }
};

const answer = (message: WasmAnswer): void => {
  busy = false;
  process.send?.(message);
};

process.on("message", async ({ docx }: WasmQuestion) => {
  try {
    // The program is told no filter, and would print a text file under a DOCX's name.
    readDocx(docx);
    busy = true;
    answer({ kind: "pdf", pdf: await toPdf(docx) });
  } catch (error) {
    const isUnreadable =
      error instanceof DocxRefused || (error instanceof Error && error.message.includes(CANNOT_LOAD));
    answer({ kind: "failed", unreadable: isUnreadable });
  }
});
await warmUp();
answer({ kind: "ready" });
