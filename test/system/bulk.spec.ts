import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConversionFailed } from "@rubrica/docx";
import {
  eventually,
  type RubricaClient,
  rubricaClient,
  startServiceProcess,
  temporaryFolder,
  toolsMissing,
} from "@rubrica/test-kit";
import { describe, expect, test } from "vitest";
import { welcomeText } from "../../apps/standalone/src/welcome.ts";
import { type BulkEntry, callOf, creditsIn, fakeDocx, pagesOf, preparedPdf, rowOf, sendBulk } from "../support/bulk.ts";
import { inspect } from "../support/inspection.ts";
import { templateFor } from "../support/messages.ts";
import { serviceInProcess } from "../support/service.ts";

const ROWS = 500;
const REAL_ROWS = 20;
/** Enough to be surely under way when the service is killed after the first of them. */
const KILLED_ROWS = 30;
const CREDITS = 1_000;

const rowsOf = (count: number) => Array.from({ length: count }, (_, number) => rowOf(number));

/** The types of the bulk calls' own events so far. */
const bulkEvents = async (dataDir: string): Promise<string[]> => {
  await using stores = await inspect(dataDir);
  return (await stores.events()).filter(({ streamKind }) => streamKind === "bulk").map(({ type }) => type);
};

/** Waits until a row is prepared, whichever is the first: one that is tried again comes after the others. */
const somePrepared = (dataDir: string): Promise<true> =>
  eventually("a row to be prepared", async () => {
    await using stores = await inspect(dataDir);
    return (await stores.events()).some(({ type }) => type === "DocumentPrepared");
  });

/** Waits until the call's template and rows are forgotten, which they are when its last row is settled. */
const settled = async (dataDir: string): Promise<string[]> => {
  await using stores = await inspect(dataDir);
  const bulkId = (await stores.events()).find(({ type }) => type === "BulkRequested")?.streamId ?? "";
  const forgotten = async () => {
    const bulk = await stores.engines.handlers.bulks.load(bulkId);
    return bulk.status !== "none" && bulk.rowsForgotten;
  };
  await eventually("the call's rows to be forgotten", forgotten);
  return bulkEvents(dataDir);
};

describe("a bulk call", () => {
  test("of 500 rows gives all links at once, each PDF its own row's values, and is paid for once", async () => {
    await using service = await serviceInProcess({ faults: { docx: fakeDocx() } });
    const { client, dataDir } = service;
    const answer = await sendBulk(client, callOf(rowsOf(ROWS)));
    const entries = answer.json<BulkEntry[]>();
    expect(entries.map(({ id_custom }) => id_custom)).toEqual(rowsOf(ROWS).map(({ id }) => id));
    expect(new Set(entries.map(({ link }) => link)).size).toBe(ROWS);
    expect(await settled(dataDir)).toEqual(["BulkRequested", "BulkAccepted", "BulkRowsForgotten"]);
    for (const [number, entry] of entries.entries()) {
      const text = (await preparedPdf(client, entry)).toString("latin1");
      expect(text).toContain(`(Contract of Signer Number ${number})`);
      expect(text).toContain(`Signed by ${30_000_000 + number} for USD ${number}.50)`);
    }
    expect(await creditsIn(dataDir)).toBe(CREDITS - ROWS);
    const last = await templateFor(client, entries.at(-1)?.contact ?? "", "Rubrica firma document");
    expect(last.buttons).toEqual(["continue", "no_continue"]);
  });

  test("loses no row that can't be prepared: it ends, is told, and is paid back", async () => {
    const convert = async (text: string) => {
      if (text.includes("Signer Number 3\n")) throw new ConversionFailed("unreadable");
    };
    await using service = await serviceInProcess({ faults: { docx: fakeDocx(convert) } });
    const { client, dataDir } = service;
    const entries = (await sendBulk(client, callOf(rowsOf(6)))).json<BulkEntry[]>();
    await settled(dataDir);
    const failed = entries[3];
    if (!failed) throw new Error("no such row");
    expect(await client.eventNames(String(failed.id_custom))).toEqual(["document_rejected"]);
    await eventually("the credit to be given back", async () => (await creditsIn(dataDir)) === CREDITS - 5);
    const overview = await client.read(`/api/signing/${new URL(failed.link).pathname.slice(3)}`);
    expect(overview.json()).toMatchObject({ status: "ended", can_sign: false });
    expect((await client.postSignature(entries[4]?.link ?? "")).status).toBe(200);
  });
});

describe("where no office program can be run", () => {
  const missing = "DOCX cannot be converted: install LibreOffice Writer";

  test("it is said at start, and to who sends a bulk call", async () => {
    await using service = await serviceInProcess({
      faults: { docx: { ...fakeDocx(), converter: undefined, missing } },
    });
    expect(welcomeText(service.service.welcome, service.service.keys)).toContain(missing);
    expect((await service.client.send("GET", "/")).json()).toMatchObject({ missing });
    const answer = await sendBulk(service.client, callOf(rowsOf(1)));
    expect([answer.status, answer.json()]).toEqual([
      503,
      { error: "DOCX can't be converted: no office program is installed here" },
    ]);
  });
});

/** Each document's text, page by page, by the one that it was prepared for. */
const textsOf = async (client: RubricaClient, entries: readonly BulkEntry[], folder: string): Promise<string[][]> => {
  const texts: string[][] = [];
  for (const [number, entry] of entries.entries()) {
    const path = join(folder, `${number}.pdf`);
    writeFileSync(path, await preparedPdf(client, entry));
    texts.push(pagesOf(path));
  }
  return texts;
};

const expectOwnValues = (texts: readonly string[][]): void => {
  for (const [number, pages] of texts.entries()) {
    expect(pages[0]).toContain(`Contract of Signer Number ${number}\n`);
    expect(pages[1]).toContain(`Signed by ${30_000_000 + number} for USD ${number}.50`);
    expect(pages.at(-1)).toContain("{no_such_variable}");
  }
};

describe.skipIf(toolsMissing("soffice", "pdftotext"))("with a real office program", () => {
  test("each PDF has its own row's values, also those that make it longer", async () => {
    using folder = temporaryFolder();
    await using service = await serviceInProcess();
    const rows = rowsOf(REAL_ROWS);
    const long = { ...rowOf(7), notas: "A clause that is long. ".repeat(400) };
    const answer = await sendBulk(service.client, callOf(rows.with(7, long)));
    const texts = await textsOf(service.client, answer.json<BulkEntry[]>(), folder.path);
    expectOwnValues(texts);
    const pageCounts = texts.map((pages) => pages.length);
    expect(pageCounts.with(7, 2)).toEqual(rows.map(() => 2));
    expect(pageCounts[7]).toBeGreaterThan(2);
    expect(await creditsIn(service.dataDir)).toBe(CREDITS - REAL_ROWS);
  });

  test("a service that is killed half-way goes on: every row is sent, credits are spent once", async () => {
    using folder = temporaryFolder();
    const { path: dataDir } = folder;
    const call = callOf(rowsOf(KILLED_ROWS));
    const headers = { "idempotency-key": "one-call" };
    await using first = await startServiceProcess({ dataDir });
    const answer = await sendBulk(rubricaClient(first), call, headers);
    const entries = answer.json<BulkEntry[]>();
    await somePrepared(dataDir);
    await first.end("SIGKILL");
    expect(await bulkEvents(dataDir)).toEqual(["BulkRequested", "BulkAccepted"]);

    await using second = await startServiceProcess({ dataDir, port: first.port });
    const client = rubricaClient(second);
    expectOwnValues(await textsOf(client, entries, dataDir));
    expect((await sendBulk(client, call, headers)).json()).toEqual(entries);
    await settled(dataDir);
    expect(await creditsIn(dataDir)).toBe(CREDITS - KILLED_ROWS);
    for (const { contact } of entries) await templateFor(client, contact, "Rubrica firma document");
  });
});
