import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { isNativeError } from "node:util/types";
import { createContext, Script } from "node:vm";
import { init, type WrappedPdfiumModule } from "@embedpdf/pdfium";

const require = createRequire(import.meta.url);

const MEGABYTE = 1_048_576;
/** What PDFium may hold for drawing, the file among it. Of honest files it was seen to hold 43 MB at most; scans take more. */
const MAX_BYTES = 160 * MEGABYTE;
/** Its memory never shrinks: one that holds more is left for a new one, which takes 10 ms. */
const KEPT_BYTES = 48 * MEGABYTE;

type Imports = Record<string, Record<string, unknown>>;

/** What is used of it; TypeScript has its types among those of browsers alone. */
const { WebAssembly: wasm } = globalThis as unknown as {
  WebAssembly: {
    compile(bytes: Uint8Array): Promise<object>;
    instantiate(module: object, imports: Imports): Promise<object>;
    RuntimeError: new () => Error;
  };
};

/** PDFium asked for more memory than it may have. */
class TakesTooMuch extends Error {}

/** Where work is done that is broken off after a time; nothing else can interrupt what PDFium computes. */
const stage = createContext({ work: undefined as (() => void) | undefined });
const act = new Script("work()");

/** @throws an error with the code `ERR_SCRIPT_EXECUTION_TIMEOUT` where work takes longer */
const within = <Result>(ms: number, work: () => Result): Result => {
  let result: { value: Result } | undefined;
  stage.work = () => {
    result = { value: work() };
  };
  try {
    act.runInContext(stage, { timeout: ms });
  } finally {
    stage.work = undefined;
  }
  if (result === undefined) throw new Error("work that ended has no result");
  return result.value;
};

/** The memory of an instance: another array whenever it has grown. Its types are those of a package that it does not bring. */
export const memoryOf = ({ pdfium }: WrappedPdfiumModule): Uint8Array =>
  (pdfium as unknown as { HEAPU8: Uint8Array }).HEAPU8;

let compiled: Promise<object> | undefined;
let current: Promise<PdfiumInstance> | undefined;

/** PDFium with its memory. What fails in the midst of a file leaves both in no known state: such an instance is never used again. */
export class PdfiumInstance {
  readonly #pdfium: WrappedPdfiumModule;
  #isSound = true;
  #isWatched = false;

  private constructor(pdfium: WrappedPdfiumModule) {
    this.#pdfium = pdfium;
  }

  /** The one that is there, else a new one. */
  static ready(): Promise<PdfiumInstance> {
    current ??= PdfiumInstance.#start();
    return current;
  }

  static async #start(): Promise<PdfiumInstance> {
    compiled ??= wasm.compile(readFileSync(require.resolve("@embedpdf/pdfium/pdfium.wasm")));
    const module = await compiled;
    const globals = new Set(Object.getOwnPropertyNames(globalThis));
    const pdfium = await init({
      instantiateWasm(imports: Imports, receive: (instance: object) => void) {
        void wasm.instantiate(module, withLimit(imports)).then(receive);
        return {};
      },
    } as Parameters<typeof init>[0]);
    // Its glue explains by getters what others may miss, and they hold all of the first instance's memory for ever.
    for (const name of Object.getOwnPropertyNames(globalThis))
      if (!globals.has(name)) Reflect.deleteProperty(globalThis, name);
    pdfium.PDFiumExt_Init();
    return new PdfiumInstance(pdfium);
  }

  /**
   * What comes of some work; undefined where it takes too much, where PDFium gives up, or did before. Work within such
   * work has what is left of the outer one's time: each watch is a thread, which takes longer to start than a small page.
   * @param mostMs after which it is broken off; undefined at once when it is 0
   */
  attempt<Result>(mostMs: number, work: (pdfium: WrappedPdfiumModule) => Result): Result | undefined {
    if (!this.#isSound || mostMs === 0) return undefined;
    if (this.#isWatched) return this.#caught(work);
    this.#isWatched = true;
    try {
      return this.#caught((pdfium) => within(mostMs, () => work(pdfium)));
    } finally {
      this.#isWatched = false;
    }
  }

  /** Gives back what a file took, and that is not watched: it takes no longer than taking it did. */
  rest(giveBack: (pdfium: WrappedPdfiumModule) => void): void {
    if (this.#isSound) this.#caught(giveBack);
    if (this.#isSound && memoryOf(this.#pdfium).length > KEPT_BYTES) this.#leave();
  }

  #caught<Result>(work: (pdfium: WrappedPdfiumModule) => Result): Result | undefined {
    try {
      return work(this.#pdfium);
    } catch (error) {
      this.#leave();
      if (!isOfTheFile(error)) throw error;
      return undefined;
    }
  }

  #leave(): void {
    this.#isSound = false;
    current = undefined;
  }
}

const isOfTheFile = (error: unknown): boolean => {
  // A stack that is too deep is a RangeError.
  if (error instanceof TakesTooMuch || error instanceof wasm.RuntimeError || error instanceof RangeError) return true;
  // An error of the stage's own realm.
  return isNativeError(error) && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
};

/** What PDFium is given, so that memory beyond the limit is refused by an end of its work: without memory it would end anyway. */
const withLimit = (imports: Imports): Imports => {
  const { env = {} } = imports;
  const grow = env.emscripten_resize_heap as (bytes: number) => number;
  const limited = (bytes: number): number => {
    if (bytes >>> 0 > MAX_BYTES) throw new TakesTooMuch();
    return grow(bytes);
  };
  return { ...imports, env: { ...env, emscripten_resize_heap: limited } };
};
