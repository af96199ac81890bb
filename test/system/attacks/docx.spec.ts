import { rubricaClient, toolsMissing } from "@rubrica/test-kit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Arena, openArena, unlimited } from "./support/arena.ts";
import { expectBoundedGrowth } from "./support/growth.ts";
import { docxFile, packageShapes, xmlShapes } from "./support/packages.ts";
import { type Answered, isRefusal, send } from "./support/requests.ts";
import { freshChance, scale } from "./support/seed.ts";

const MINUTE_MS = 60_000;
const MOST_PARTS = 1_000_000;
const MOST_ENTRIES = 64_000;
const withoutOffice = toolsMissing("soffice");

const chance = freshChance("DOCX");
let arena: Arena;
/** An account that may call in bulk, and has no credits. */
let penniless: string;
/** One that may call as often as it likes. */
let rich: string;

beforeAll(async () => {
  arena = await openArena(unlimited);
  penniless = await arena.account("Penniless", "--plan", "pro");
  rich = await arena.account("Rich", "--plan", "pro", "--credits", "1000000");
}, 2 * MINUTE_MS);
afterAll(() => arena.close(), MINUTE_MS);

const bulk = (docx: Buffer, apiKey: string): Promise<Answered> =>
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
  "templates of an account with no credits hold up nobody's bulk call",
  {
    timeout: 3 * MINUTE_MS,
  },
  async () => {
    const slow = xmlShapes.paragraphs?.(200_000) ?? docxFile();
    const good = docxFile();
    // The first conversion starts the office program.
    expect((await bulk(good, rich)).status).toBe(200);
    const alone = await bulk(good, rich);
    const { answers, under } = await arena.attack("ten templates of 200,000 paragraphs without credits", async () => {
      const attacks = Array.from({ length: 10 }, () => bulk(slow, penniless));
      const under = await bulk(good, rich);
      return { answers: await Promise.all(attacks), under };
    });
    expect(under.status).toBe(200);
    expect(under.ms).toBeLessThan(Math.max(5 * alone.ms, alone.ms + 2_000));
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
  {
    timeout: 6 * MINUTE_MS,
  },
  async ({ what, make, to }) => {
    const { seen } = await arena.attack(what, () =>
      expectBoundedGrowth({ what, from: 500, to, send: (size) => bulk(make(size), rich) }),
    );
    console.info(`${what}: ${seen.join(", ")}`);
  },
);

test("after all of it, templates are still taken", { timeout: 3 * MINUTE_MS }, async () => {
  const answer = await bulk(docxFile(), arena.service.apiKey);
  expect(withoutOffice || answer.status === 200, `${answer.status}`).toBe(true);
  expect((await rubricaClient(arena.service).send("GET", "/livez")).status).toBe(200);
  expect(isRefusal(await bulk(Buffer.from("PK"), arena.service.apiKey))).toBe(true);
});
