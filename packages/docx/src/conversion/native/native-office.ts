import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { Random } from "@rubrica/runtime";
import { type Office, type OfficeProcess, UnreadableDocx } from "../office.ts";
import { type Confinement, findConfinement } from "./confinement.ts";
import { isExecutable } from "./executable.ts";
import { startNativeProcess } from "./native-process.ts";
import { writeProfile } from "./profile.ts";
import { exited, killGroup, spawnOffice } from "./spawn.ts";
import { profileIn, removeTraces } from "./traces.ts";

const TOKEN_BYTES = 16;

/** Where LibreOffice is: the given path if it can be run, else the first of the search path's; undefined when there is none. */
export const findSoffice = (given: string | undefined): string | undefined => {
  const folders = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  const candidates =
    given === undefined
      ? ["soffice", "libreoffice"].flatMap((name) => folders.map((folder) => join(folder, name)))
      : [given];
  return candidates.find(isExecutable);
};

/** LibreOffice as it is installed. */
export class NativeOffice implements Office {
  readonly engine = "native";
  readonly #soffice: string;
  readonly #folder: string;
  readonly #confinement: Confinement | undefined;
  readonly #random: Random;
  #started = 0;

  private constructor(soffice: string, folder: string, confinement: Confinement | undefined, random: Random) {
    this.#soffice = soffice;
    this.#folder = folder;
    this.#confinement = confinement;
    this.#random = random;
  }

  /** @param folder where documents lie, in the clear, while they are converted. */
  static async open(soffice: string, folder: string, random: Random): Promise<NativeOffice> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const confinement = await findConfinement(soffice, folder);
    return new NativeOffice(soffice, await mkdtemp(join(folder, "office-")), confinement, random);
  }

  get isConfined(): boolean {
    return this.#confinement !== undefined;
  }

  start(signal: AbortSignal): Promise<OfficeProcess> {
    const token = this.#random.bytes(TOKEN_BYTES).toString("hex");
    const folder = this.#newFolder();
    return startNativeProcess({ soffice: this.#soffice, folder, confinement: this.#confinement, token, signal });
  }

  readonly convertOnce = async (docx: Uint8Array, signal: AbortSignal): Promise<Uint8Array> => {
    const folder = this.#newFolder();
    const from = join(folder, "document.docx");
    await mkdir(folder, { mode: 0o700 });
    try {
      await this.#confinement?.prepare(folder);
      await writeProfile(profileIn(folder));
      await writeFile(from, docx, { mode: 0o600 });
      await this.#run(folder, from, signal);
      return await readFile(join(folder, "document.pdf")).catch(() => {
        throw new UnreadableDocx();
      });
    } finally {
      await removeTraces(folder);
    }
  };

  async close(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #run(folder: string, from: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const arguments_ = [
      "--infilter=MS Word 2007 XML",
      "--convert-to",
      "pdf:writer_pdf_Export",
      "--outdir",
      folder,
      from,
    ];
    const child = spawnOffice({
      soffice: this.#soffice,
      folder,
      confinement: this.#confinement,
      arguments: arguments_,
    });
    const stop = () => killGroup(child);
    signal.addEventListener("abort", stop, { once: true });
    await exited(child);
    signal.removeEventListener("abort", stop);
    signal.throwIfAborted();
    if (child.exitCode !== 0) throw new Error("the office program failed");
  }

  #newFolder(): string {
    return join(this.#folder, String(++this.#started));
  }
}
