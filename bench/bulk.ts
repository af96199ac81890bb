import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openDocxTemplates } from "@rubrica/docx";
import { createHelperBudget } from "@rubrica/helpers";
import { toolsMissing } from "@rubrica/test-kit";
import { docxOf, paragraph } from "@rubrica/test-kit/docx";
import { type Extent, perSecond, type Row, ratio, runtime, timeOf, withFolder } from "./measure.ts";
import { API_KEY, type RunningServer, startRubrica } from "./servers.ts";

const { clock } = runtime;
/** A batch of several hundred files may stop in silence. */
const BATCH_FILES = 100;
const POLL_MS = 50;
const MEGABYTE_KB = 1_024;

const PAGE_BREAK = '<w:p><w:r><w:br w:type="page"/></w:r></w:p>';
const page = Array.from({ length: 20 }, () => paragraph("The parties agree to what follows. ".repeat(4))).join("");
/** A contract of two pages. */
const contract = docxOf(
  `${paragraph("Contract of {nombre y apellido}, {dni}")}${page}${PAGE_BREAK}${page}${paragraph("{cuota}")}`,
);

const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, number) => ({
    "nombre y apellido": `Signer Number ${number}`,
    dni: String(30_000_000 + number),
    msg: `54911${40_000_000 + number}`,
    cuota: `USD ${number}.50`,
  }));

/** From the call to the last row's PDF, durable and ready to be signed. */
const prepareAll = async ({ url }: RunningServer, count: number): Promise<void> => {
  const call = {
    document_type: "docx",
    document: contract.toString("base64"),
    firmante: { page: 0, position_x: 60, position_y: 650 },
    df: rowsOf(count),
  };
  const response = await fetch(`${url}/api/sendCargaMasiva`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": API_KEY },
    body: JSON.stringify(call),
  });
  if (response.status !== 200) throw new Error(`answered ${response.status}: ${await response.text()}`);
  for (const { link } of (await response.json()) as { link: string }[]) {
    const address = `${url}/api/signing/${new URL(link).pathname.slice(3)}`;
    while (!(await isPrepared(address))) await clock.wait(POLL_MS);
  }
};

const isPrepared = async (address: string): Promise<boolean> => {
  const { page_count } = (await (await fetch(address)).json()) as { page_count: number | null };
  return page_count !== null;
};

/** The same files, filled before, by as few calls of the bare program as it bears. */
const bareMs = async (folder: string, count: number): Promise<number> => {
  const templates = openDocxTemplates({ clock, budget: createHelperBudget({ clock, totalMb: 600 }) });
  await mkdir(folder);
  const paths: string[] = [];
  for (const [number, row] of rowsOf(count).entries()) {
    const path = join(folder, `${number}.docx`);
    await writeFile(path, (await templates.fill(contract, row, "account:a")).docx);
    paths.push(path);
  }
  await templates.close();
  const ms = await timeOf(async () => {
    for (let done = 0; done < count; done += BATCH_FILES) await convert(folder, paths.slice(done, done + BATCH_FILES));
  });
  const converted = (await readdir(folder)).filter((name) => name.endsWith(".pdf")).length;
  if (converted !== count) throw new Error(`soffice converted ${converted} of ${count} files`);
  return ms;
};

const convert = async (folder: string, paths: readonly string[]): Promise<void> => {
  const profile = `-env:UserInstallation=file://${join(folder, "profile")}`;
  const args = [profile, "--headless", "--convert-to", "pdf", "--outdir", folder, ...paths];
  await once(spawn("soffice", args, { stdio: "ignore" }), "exit");
};

/** Documents a second of one bulk call, from the call to the last PDF, against the bare program; nothing without it. */
export const benchBulk = async ({ quick }: Extent): Promise<Row[]> => {
  if (toolsMissing("soffice")) return [];
  return withFolder(async (folder) => {
    const count = quick ? 40 : 500;
    const bare = perSecond(count, await bareMs(join(folder, "bare"), count));
    const rubrica = await startRubrica(join(folder, "data"));
    try {
      const measured = perSecond(count, await timeOf(() => prepareAll(rubrica, count)));
      const row = {
        what: `bulk call, ${count} rows of 2 pages, to the last PDF`,
        measured: `${measured.toFixed(1)}/s`,
        baseline: `soffice --convert-to, the same files: ${bare.toFixed(1)}/s`,
        result: ratio(measured / bare),
        aim: "≥ 0.9",
        note: "two office programs; the bare one runs once at a time; beside it: filling, reading and storing PDFs, and a message each",
      };
      return [row];
    } finally {
      await rubrica.stop();
    }
  });
};

/** The most memory that the service's own process ever held, in MB (Linux). */
const peakMemory = async ({ pid }: RunningServer): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / MEGABYTE_KB;
};

const peakMemoryAfter = (rows: number): Promise<number> =>
  withFolder(async (folder) => {
    const rubrica = await startRubrica(folder);
    try {
      await prepareAll(rubrica, rows);
      return await peakMemory(rubrica);
    } finally {
      await rubrica.stop();
    }
  });

/** How memory grows with the rows of a call; nothing where it can't be told. */
export const benchBulkMemory = async ({ quick }: Extent): Promise<Row[]> => {
  if (toolsMissing("soffice", "/proc/self/status")) return [];
  const [few, many] = quick ? [10, 40] : [100, 1_000];
  const baseline = await peakMemoryAfter(few);
  const measured = await peakMemoryAfter(many);
  const row = {
    what: `bulk call, peak memory at ${many} rows`,
    measured: `${measured.toFixed(0)} MB`,
    baseline: `at ${few} rows: ${baseline.toFixed(0)} MB`,
    result: ratio(measured / baseline),
    aim: "≤ 1.2",
    note: "the service's process; office programs hold some 200 MB each, whatever they convert",
  };
  return [row];
};
