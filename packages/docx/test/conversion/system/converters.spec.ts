import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createHelperBudget } from "@rubrica/helpers";
import { type Clock, systemRuntime } from "@rubrica/runtime";
import { noteMissing, repository, standStill } from "@rubrica/test-kit";
import { docxOf, field, paragraph, picture, pngOf, relationship } from "@rubrica/test-kit/docx";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { findSoffice, NativeOffice } from "../../../src/conversion/native/native-office.ts";
import type { Office } from "../../../src/conversion/office.ts";
import { isWholePdf } from "../../../src/conversion/office.ts";
import { OFFICE_MEMORY_MB } from "../../../src/conversion/open.ts";
import { SupervisedConverter } from "../../../src/conversion/supervised.ts";
import { findWasm } from "../../../src/conversion/wasm/wasm-folder.ts";
import { WasmOffice } from "../../../src/conversion/wasm/wasm-office.ts";
import {
  type ConverterOptions,
  type DocxConverter,
  type DocxTemplates,
  openConverter,
  openDocxTemplates,
} from "../../../src/index.ts";
import { converterContract } from "../contract.ts";
import { killProcessesOf, processesOf, socketFinder, tellsProcesses } from "../processes.ts";

/** Of one conversion, where a test tells it from other waits by its length. */
const UP_MS = 123_456;
const corpus = process.env.RUBRICA_CORPUS ?? join(repository, "..", "shared", "corpus");
const files = existsSync(join(corpus, "docx"))
  ? readdirSync(join(corpus, "docx"), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".docx"))
  : [];
const runtime = systemRuntime();
const folder = mkdtempSync(join(tmpdir(), "rubrica-docx-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const open = async (options: Partial<ConverterOptions> = {}): Promise<DocxConverter> => {
  const opened = await openConverter({ ...runtime, folder: join(folder, "work"), ...options });
  if (!opened.converter) throw new Error(opened.reason);
  return opened.converter;
};

const soffice = findSoffice(undefined);
const socketFor = await socketFinder(soffice);
if (!soffice) noteMissing("soffice");
if (!findWasm()) noteMissing("the optional package of LibreOffice as WebAssembly");
describe.skipIf(!soffice)("by LibreOffice as installed", () =>
  converterContract("native", () => open({ engines: ["native"] })),
);
describe.skipIf(!findWasm())("by LibreOffice as WebAssembly", () =>
  converterContract("wasm", () => open({ engines: ["wasm"] })),
);

describe("what an office process may take", () => {
  /** A converter by this office whose processes may take so much. */
  const bounded = (office: Office, memoryMb: number) =>
    new SupervisedConverter(office, {
      clock: runtime.clock,
      timeoutMs: UP_MS,
      processes: 1,
      memoryMb,
      waiting: { all: 1, ofOne: 1 },
      startTimeoutMs: 200_000,
      documentsPerProcess: 1,
      idleMs: 0,
    });
  const [folderOfWork, wasm] = [join(folder, "weighed"), findWasm()];
  const tooMuch = async (office: Office) => {
    const converter = bounded(office, 10);
    const converted = converter.convert(docxOf(paragraph("x")), "account:a");
    await expect(converted).rejects.toMatchObject({ reason: "too_large" });
    await converter.close();
  };

  test.skipIf(!soffice)("is weighed by LibreOffice as installed: what takes more is ended", async () => {
    await tooMuch(await NativeOffice.open(soffice ?? "", folderOfWork, runtime.random));
  });

  test.skipIf(!wasm)("is weighed by LibreOffice as WebAssembly: what takes more is ended", async () => {
    if (wasm) await tooMuch(await WasmOffice.open(wasm, folderOfWork, runtime.clock));
  });

  test("is what the docs say", () => {
    const told = readFileSync(join(repository, "docs/security.md"), "utf8");
    for (const mb of Object.values(OFFICE_MEMORY_MB)) expect(told).toContain(`is ended at ${mb / 1_024} GB`);
  });
});

describe("choosing an engine", () => {
  test("where there is none, it is said what to do", async () => {
    const opened = await openConverter({ ...runtime, folder: join(folder, "none"), engines: [] });
    expect(opened).toMatchObject({ converter: undefined, reason: expect.stringContaining("SOFFICE") });
  });

  test("a SOFFICE that is no program is not passed over in silence", async () => {
    const options = {
      ...runtime,
      folder: join(folder, "none"),
      engines: ["native" as const],
      soffice: "/nowhere/soffice",
    };
    expect(await openConverter(options)).toMatchObject({ reason: expect.stringContaining("SOFFICE names no program") });
  });

  test("a program that is not LibreOffice fails the document, not the service", async () => {
    const converter = await open({ engines: ["native"], soffice: "/bin/true" });
    await expect(converter.convert(docxOf(paragraph("x")), "account:a")).rejects.toMatchObject({
      reason: expect.any(String),
    });
    await converter.close();
  });

  test("the folder is emptied first: a process that was killed may have left documents", async () => {
    const left = join(folder, "left");
    const first = await open({ folder: left, engines: ["native"], soffice: "/bin/true" });
    writeFileSync(join(left, "document.docx"), "x");
    const second = await open({ folder: left, engines: ["native"], soffice: "/bin/true" });
    expect(existsSync(join(left, "document.docx"))).toBe(false);
    await first.close();
    await second.close();
  });
});

describe.skipIf(!soffice || !tellsProcesses())("native processes", () => {
  const work = join(folder, "native");
  let converter: DocxConverter;
  afterEach(() => converter.close());

  test("one that is killed is replaced, and closing leaves no process, no document and no socket", async () => {
    converter = await open({ folder: work, engines: ["native"], processes: 1 });
    await converter.convert(docxOf(paragraph("x")), "account:a");
    const before = processesOf(work);
    expect(before.length).toBeGreaterThan(0);
    killProcessesOf(work);
    expect(isWholePdf(await converter.convert(docxOf(paragraph("x")), "account:a"))).toBe(true);
    expect(processesOf(work).some((pid) => before.includes(pid))).toBe(false);
    const socket = socketFor(join(work, readdirSync(work)[0] ?? "", "2"));
    expect(existsSync(socket)).toBe(true);
    await converter.close();
    expect(existsSync(socket)).toBe(false);
    expect(readdirSync(work)).toEqual([]);
    // The kernel may take a moment to bury what was killed.
    while (processesOf(work).length > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  test("one that is stopped in mid-flight is killed when its time is up, and its document is converted", async () => {
    // The time of the second conversion is up as soon as it begins: its process stands still.
    let timed = 0;
    const wait: Clock["wait"] = (ms, options) => {
      if (ms === UP_MS) timed++;
      return runtime.clock.wait(ms === UP_MS && timed === 2 ? 0 : ms, options);
    };
    const clock = { ...runtime.clock, wait };
    converter = await open({ folder: work, engines: ["native"], processes: 1, timeoutMs: UP_MS, clock });
    await converter.convert(docxOf(paragraph("x")), "account:a");
    const stopped = processesOf(work);
    await Promise.all(stopped.map(standStill));
    expect(isWholePdf(await converter.convert(docxOf(paragraph("x")), "account:a"))).toBe(true);
    expect(timed).toBe(3);
    expect(processesOf(work).filter((id) => stopped.includes(id))).toEqual([]);
  });

  test("documents with comments do not bring it down", async ({ skip }) => {
    converter = await open({ folder: work, engines: ["native"], processes: 1 });
    const commented = files.filter((name) => name.includes("comment"));
    if (commented.length === 0) return skip("no corpus");
    await converter.convert(docxOf(paragraph("x")), "account:a");
    const before = processesOf(work);
    for (const name of commented) {
      expect(isWholePdf(await converter.convert(readFileSync(join(corpus, "docx", name)), "account:a")), name).toBe(
        true,
      );
    }
    expect(processesOf(work)).toEqual(before);
  });

  test("a document fetches nothing, from the network or the disk, on a warm process or alone", async () => {
    const asked: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url);
      response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const secret = join(folder, "secret.png");
    writeFileSync(secret, pngOf());
    const docx = reachingOut(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, pathToFileURL(secret).href);

    converter = await open({ folder: work, engines: ["native"], processes: 1 });
    const alone = await NativeOffice.open(soffice ?? "", join(folder, "alone"), runtime.random);
    const pdfs = [
      await converter.convert(docx, "account:a"),
      await alone.convertOnce(docx, new AbortController().signal),
    ];
    server.close();
    await alone.close();
    expect(asked).toEqual([]);
    for (const pdf of pdfs) {
      expect(isWholePdf(pdf)).toBe(true);
      expect(Buffer.from(pdf).includes("/Subtype/Image")).toBe(false);
    }
  });
});

/** A document that asks for pictures by relationship and by field, from a server and from the disk. */
const reachingOut = (server: string, file: string): Buffer =>
  docxOf(
    picture('r:link="rId7"') +
      picture('r:link="rId8"') +
      field(`INCLUDEPICTURE "${server}/field.png" \\d`) +
      field(`INCLUDETEXT "${file}"`),
    {
      relationships:
        relationship("rId7", "image", `${server}/picture.png`, "External") +
        relationship("rId8", "image", file, "External"),
    },
  );

if (files.length === 0) noteMissing("the corpus (RUBRICA_CORPUS)");
describe.skipIf(!soffice || files.length === 0)("real documents", () => {
  test("each is converted, or refused with a reason", async () => {
    const templates = openDocxTemplates({ ...runtime, budget: createHelperBudget({ ...runtime, totalMb: 600 }) });
    const converter = await open({ engines: ["native"] });
    const outcomes: { name: string; outcome: string }[] = [];
    const convertNext = async (): Promise<void> => {
      for (let name = left.pop(); name !== undefined; name = left.pop()) {
        outcomes.push({ name, outcome: await outcomeOf(name, templates, converter) });
      }
    };
    const left = [...files];
    await Promise.all([convertNext(), convertNext(), convertNext(), convertNext()]);
    await converter.close();
    await templates.close();
    const refused = outcomes.filter(({ outcome }) => outcome !== "converted");
    const known = ["damaged", "unreadable", "encrypted", "outside_reference", "unknown_content"];
    expect(refused.filter(({ outcome }) => !known.includes(outcome))).toEqual([]);
    // Of the 78 that were looked at, four are no ZIP archives any more, and one brings another document (altChunk).
    expect(refused.length).toBeLessThanOrEqual(Math.ceil(files.length * 0.1));
  });
});

const outcomeOf = async (name: string, templates: DocxTemplates, converter: DocxConverter): Promise<string> => {
  try {
    const bytes = readFileSync(join(corpus, "docx", name));
    const { docx: filled } = await templates.fill(bytes, { "nombre y apellido": "Ana" }, "account:a");
    return isWholePdf(await converter.convert(filled, "account:a")) ? "converted" : "no PDF";
  } catch (error) {
    return error instanceof Error && "reason" in error ? String(error.reason) : "fault";
  }
};
