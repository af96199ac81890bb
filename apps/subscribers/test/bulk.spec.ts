import { acceptBulk, type BulkCall, bulkDocumentId, setUpAccount } from "@rubrica/commands";
import { ConversionFailed, type DocxConverter, DocxRefused, type DocxTemplates } from "@rubrica/docx";
import { type Obligation, type ObligationKind, openedAccount } from "@rubrica/domain";
import { derivedId, sample } from "@rubrica/events";
import { createPdfEngine } from "@rubrica/pdf";
import { systemClock } from "@rubrica/runtime";
import { bulkRowOf, contextOf, openWorld, type World } from "@rubrica/test-kit/commands";
import { pdf as pdfOf } from "@rubrica/test-kit/pdf/fixtures";
import { afterAll, describe, expect, test } from "vitest";
import { type BulkDependencies, bulkSubscribers } from "../src/bulk.ts";
import type { Subscriber } from "../src/subscriber.ts";
import { obligationOf } from "./owed.ts";

const { bulkId, accountId } = sample;
const template = Buffer.from("a template");
const documentIds = [bulkDocumentId(bulkId, 0), bulkDocumentId(bulkId, 1)] as const;

const pdf = createPdfEngine({ clock: systemClock, processes: 1 });
afterAll(() => pdf.close());

const call: BulkCall = {
  requester: null,
  requestIp: null,
  account: { accountId, plan: "pro", businessName: "ACME" },
  retentionDays: null,
  requestPhotos: null,
  validatePhotos: null,
  webhook: null,
  rows: [bulkRowOf(1), bulkRowOf(2)],
};

/** "Fills" a template by writing its values behind it. */
const templates: DocxTemplates = {
  inspect: async () => undefined,
  fill: async (docx, variables) => ({
    docx: Buffer.from(`${Buffer.from(docx)} ${JSON.stringify(variables)}`),
    unmatched: [],
  }),
  close: async () => undefined,
};
const converterOf = (convert: DocxConverter["convert"]): DocxConverter => ({
  engine: "native",
  convert,
  close: async () => undefined,
});
const converting = converterOf(async () => pdfOf({ pages: [{}, {}] }));

/** The stores after a bulk call of two rows, and the subscribers to what it owes. */
const bulkWorld = async (dependencies: Partial<BulkDependencies> = {}) => {
  const world = openWorld();
  const key = { keyId: sample.keyId, keySha256: sample.sha256 };
  const account = { accountId, name: "ACME", plan: "pro", credits: 10, webhookSecret: "whsec_x", key } as const;
  await setUpAccount(world.handlers, account, contextOf("account"));
  await acceptBulk(world, { bulkId, template, call }, contextOf(bulkId));
  const { handlers, files, keys, runtime } = world;
  const subscribers = bulkSubscribers({
    handlers,
    files,
    keys,
    runtime,
    pdf,
    templates,
    converter: converting,
    ...dependencies,
  });
  const meet = (kind: ObligationKind, owner: { documentId: string } | { bulkId: string }) => {
    const subscriber = subscribers.find((candidate) => candidate.kind === kind) as Subscriber | undefined;
    if (!subscriber) throw new Error(`nobody meets ${kind}`);
    const id = derivedId(kind, JSON.stringify(owner));
    const obligation = obligationOf(kind, { id });
    return subscriber.meet({ obligation, accountId, ...owner } as never);
  };
  return {
    world,
    subscribers,
    prepare: (row: 0 | 1) => meet("prepare", { documentId: documentIds[row] }),
    meet,
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
};

const outcomeOf = async ({ eventsOf }: World, row: 0 | 1) => {
  const [, ...after] = await eventsOf("document", documentIds[row]);
  return after.map(({ type, data }) => ({ type, data }));
};
const failed = (reason: string, attempts = 1) => [{ type: "PreparationFailed", data: { bulkId, reason, attempts } }];
const balanceOf = async ({ handlers }: World) => openedAccount(await handlers.accounts.load(accountId)).balance;

describe("a bulk row is prepared", () => {
  test("from its own values, and can be signed then", async () => {
    const given: string[] = [];
    const converter = converterOf(async (docx) => {
      given.push(Buffer.from(docx).toString());
      return pdfOf({ pages: [{}, {}, {}] });
    });
    await using made = await bulkWorld({ converter });
    await made.prepare(1);
    expect(given).toEqual(['a template {"id":2,"amount":"$ 2"}']);
    const document = await made.world.handlers.documents.load(documentIds[1]);
    if (document.status !== "pending") throw new Error(`it is ${document.status}`);
    expect(document.pageCount).toBe(3);
    const bytes = await made.world.files.get(documentIds[1], document.file.sha256);
    expect(bytes.equals(pdfOf({ pages: [{}, {}, {}] }))).toBe(true);
    expect(await outcomeOf(made.world, 0)).toEqual([]);
  });

  test("once, however often it is owed", async () => {
    let converted = 0;
    const converter = converterOf(async () => {
      converted += 1;
      return pdfOf();
    });
    await using made = await bulkWorld({ converter });
    await made.prepare(0);
    await made.prepare(0);
    expect((await outcomeOf(made.world, 0)).map(({ type }) => type)).toEqual(["DocumentPrepared"]);
    expect(converted).toBe(1);
  });

  test("by nobody where there is no office program: it waits", async () => {
    await using made = await bulkWorld({ converter: undefined });
    expect(made.subscribers.map(({ kind }) => kind)).toEqual(["continue-bulk", "forget-rows", "refund"]);
  });
});

describe("a bulk row that can't be prepared", () => {
  test.each([
    [
      "its filled template is refused",
      "template_too_large",
      { templates: refusing(new DocxRefused("too_large", "x")) },
    ],
    ["no office program can read it", "conversion_unreadable", { converter: failing("unreadable") }],
    ["its PDF is broken", "pdf_not_a_pdf", { converter: converterOf(async () => Buffer.from("no PDF")) }],
    ["the signature is off its page", "signature_off_page", { converter: converterOf(async () => small()) }],
  ])("since %s has failed for good", async (_what, reason, dependencies) => {
    await using made = await bulkWorld(dependencies);
    await made.prepare(0);
    expect(await outcomeOf(made.world, 0)).toEqual(failed(reason));
    await made.prepare(0);
    expect(await outcomeOf(made.world, 0)).toEqual(failed(reason));
  });

  test.each(["crashed", "hung", "empty"] as const)("since its conversion %s is tried once more", async (reason) => {
    await using made = await bulkWorld({ converter: failing(reason) });
    await expect(made.prepare(0)).rejects.toThrow(`conversion_${reason}`);
    expect(await outcomeOf(made.world, 0)).toEqual([]);
    await made.prepare(0);
    expect(await outcomeOf(made.world, 0)).toEqual(failed(`conversion_${reason}`, 2));
  });

  test("at first may be the next time", async () => {
    let attempts = 0;
    const converter = converterOf(async () => {
      attempts += 1;
      if (attempts === 1) throw new ConversionFailed("crashed");
      return pdfOf();
    });
    await using made = await bulkWorld({ converter });
    await expect(made.prepare(0)).rejects.toThrow();
    await made.prepare(0);
    expect((await outcomeOf(made.world, 0)).map(({ type }) => type)).toEqual(["DocumentPrepared"]);
  });

  test("since the service is closing, or its disk is full, is tried for as long as it takes", async () => {
    await using closing = await bulkWorld({ converter: failing("closed") });
    await using full = await bulkWorld();
    full.world.files.put = () => Promise.reject(new Error("the disk is full"));
    for (const made of [closing, full]) {
      for (let attempt = 0; attempt < 5; attempt++) await expect(made.prepare(0)).rejects.toThrow(/closed|full/);
      expect(await outcomeOf(made.world, 0)).toEqual([]);
    }
  });

  test("since its signer, or the call's template, was forgotten has failed", async () => {
    await using made = await bulkWorld();
    await made.world.keys.destroy(documentIds[0]);
    await made.prepare(0);
    expect(await outcomeOf(made.world, 0)).toEqual(failed("forgotten"));
    await made.world.keys.destroy(bulkId);
    await made.prepare(1);
    expect(await outcomeOf(made.world, 1)).toEqual(failed("forgotten"));
  });

  test("is paid back, once", async () => {
    await using made = await bulkWorld();
    await made.meet("refund", { documentId: documentIds[0] });
    await made.meet("refund", { documentId: documentIds[0] });
    expect(await balanceOf(made.world)).toBe(9);
  });
});

describe("a bulk call", () => {
  test("that was cut is gone on with", async () => {
    await using world = openWorld();
    const { handlers, files, keys, runtime } = world;
    const key = { keyId: sample.keyId, keySha256: sample.sha256 };
    const account = { accountId, name: "ACME", plan: "pro", credits: 10, webhookSecret: "whsec_x", key } as const;
    await setUpAccount(handlers, account, contextOf("account"));
    const { handle } = handlers.documents;
    handlers.documents.handle = () => Promise.reject(new Error("cut"));
    await expect(acceptBulk(world, { bulkId, template, call }, contextOf(bulkId))).rejects.toThrow("cut");
    handlers.documents.handle = handle;
    const subscribers = bulkSubscribers({ handlers, files, keys, runtime, pdf, templates, converter: converting });
    const subscriber = subscribers.find(({ kind }) => kind === "continue-bulk");
    const obligation = { id: derivedId("x"), kind: "continue-bulk", signerId: null } as Obligation;
    await subscriber?.meet({ obligation, accountId, bulkId } as never);
    expect(await world.handlers.bulks.load(bulkId)).toMatchObject({ status: "accepted" });
    expect((await world.eventsOf("document", documentIds[1])).map(({ type }) => type)).toEqual(["DocumentRequested"]);
    expect(await balanceOf(world)).toBe(8);
  });

  test("has its template and rows forgotten", async () => {
    await using made = await bulkWorld();
    await made.meet("forget-rows", { bulkId });
    expect(await made.world.keys.find(bulkId)).toBeUndefined();
    expect(await made.world.handlers.bulks.load(bulkId)).toMatchObject({ rowsForgotten: true });
  });
});

const refusing = (error: Error): DocxTemplates => ({ ...templates, fill: () => Promise.reject(error) });
const failing = (reason: ConversionFailed["reason"]): DocxConverter =>
  converterOf(() => Promise.reject(new ConversionFailed(reason)));
const small = (): Uint8Array => pdfOf({ pages: [{}, { entries: "/MediaBox[0 0 300 300]" }] });
