import { toolsMissing } from "@rubrica/test-kit";
import { beforeEach, expect, test } from "vitest";
import { joinArena } from "./support/arena.ts";
import { expectBoundedGrowth, untilIdle } from "./support/growth.ts";
import { docxFile, packageShapes, xmlShapes } from "./support/packages.ts";
import { helpersCpuMs } from "./support/process-tree.ts";
import { type Answered, isRefusal, send } from "./support/requests.ts";
import { freshChance, scale } from "./support/seed.ts";

const MOST_PARTS = 1_000_000;
const MOST_ENTRIES = 64_000;
const BACKLOG = 10;
/** Of a backlog that no helper reads, helpers take no more of the processors than this; reading one takes more. */
const UNREAD_MS = 200;
/** Dear to read, and no more than is read. */
const slowTemplate = (): Buffer => xmlShapes.paragraphs?.(200_000) ?? docxFile();
const withoutOffice = toolsMissing("soffice");

const chance = freshChance("DOCX");
const arena = joinArena();
/** An account that may call in bulk, and has no credits. */
let penniless: string;

beforeEach(async () => {
  penniless = (await arena.account({ name: "Penniless", plan: "pro" })).apiKey;
});

const bulk = (docx: Buffer, apiKey = arena.apiKey): Promise<Answered> =>
  send(arena.service.url, {
    path: "/api/sendCargaMasiva",
    headers: { "content-type": "application/json", "x-api-key": apiKey },
    body: JSON.stringify({
      document_type: "docx",
      document: docx.toString("base64"),
      firmante: { page: 0, position_x: 60, position_y: 650 },
      df: [{ "nombre y apellido": "Ana Paz", dni: "30123456", msg: "5491140000001" }],
    }),
  });

test.skipIf(withoutOffice)(
  "templates of an account with no credits are not even read, and hold up nobody's bulk call",
  async () => {
    const slow = slowTemplate();
    const { pid } = arena.service;
    const { answers, under, cpuMs } = await arena.attack("ten slow templates without credits", async (alone) => {
      const all = () => Array.from({ length: BACKLOG }, () => bulk(slow, penniless));
      await untilIdle(pid);
      const beforeMs = helpersCpuMs(pid);
      const first = await alone(() => Promise.all(all()));
      const cpuMs = helpersCpuMs(pid) - beforeMs;
      const second = all();
      const under = await bulk(docxFile());
      return { answers: [...first, ...(await Promise.all(second))], under, cpuMs };
    });
    expect(cpuMs).toBeLessThan(UNREAD_MS);
    expect(under.status).toBe(200);
    // 429 says that there are too few credits; what is no template is a 400 before.
    for (const answer of answers) expect([400, 429]).toContain(answer.status);
  },
);

const drawn = [
  ...chance.some(Object.entries(xmlShapes), 6 * scale).map(([what, make]) => ({ what, make, to: MOST_PARTS })),
  ...chance.some(Object.entries(packageShapes), 3 * scale).map(([what, make]) => ({ what, make, to: MOST_ENTRIES })),
];

test.skipIf(withoutOffice).each(drawn)(
  "a template of $what: twice as much costs at most 2.5 times as much",
  async ({ what, make, to }) => {
    await expectBoundedGrowth(arena, { what, from: 500, to, send: (size) => bulk(make(size)) });
  },
);

test("templates are taken, whatever was sent before", async () => {
  const answer = await bulk(docxFile());
  expect(withoutOffice || answer.status === 200, `${answer.status}`).toBe(true);
  expect(isRefusal(await bulk(Buffer.from("PK")))).toBe(true);
});
