import { createWorkerConverter } from "@matbee/libreoffice-converter/server";
import { DocxRefused } from "../../refused.ts";
import { openDocxPackage } from "../../template/docx-package.ts";
import { isWholePdf } from "../office.ts";
import { warmUpDocument } from "./warm-up-document.ts";
import type { WasmAnswer, WasmQuestion } from "./wasm-office.ts";

/** A process that holds LibreOffice as WASM, and converts what its parent sends. It may hang: its parent watches it. */
const [wasmPath = ""] = process.argv.slice(2);

const converter = await createWorkerConverter({ wasmPath });

async function toPdf(docx: Uint8Array): Promise<Uint8Array> {
  const { data } = await converter.convert(docx, { inputFormat: "docx", outputFormat: "pdf" }, "document.docx");
  return data;
}

/** The first conversions sometimes "succeed" with next to nothing: no process serves before it has made two whole files. */
async function warmUp(): Promise<void> {
  const document = warmUpDocument();
  for (let time = 1; time <= 2; time++) {
    if (!isWholePdf(await toPdf(document))) throw new Error("the converter does not work");
  }
}

function answer(message: WasmAnswer): void {
  process.send?.(message);
}

process.on("disconnect", () => process.exit());
process.on("message", async ({ docx }: WasmQuestion) => {
  try {
    // The program is told no filter, and would print a text file under a DOCX's name.
    openDocxPackage(docx);
    answer({ kind: "pdf", pdf: await toPdf(docx) });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    const isUnreadable = error instanceof DocxRefused || code === "LOAD_FAILED" || code === "CORRUPTED_DOCUMENT";
    answer({ kind: "failed", unreadable: isUnreadable });
  }
});
await warmUp();
answer({ kind: "ready" });
