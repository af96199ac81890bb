import { systemClock } from "@rubrica/runtime";
import { eventually, rubricaClient, samplePdf, sampleSigner } from "@rubrica/test-kit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Arena, openArena } from "./support/arena.ts";
import { structures } from "./support/pdfs.ts";
import { type Answered, addressOf, isRefusal, send } from "./support/requests.ts";
import { freshChance } from "./support/seed.ts";

const MINUTE_MS = 60_000;
/** As large as the files that were seen to take seconds each. */
const SEEN_BYTES = 16_000;
const CROWD = 60;

const chance = freshChance("fairness");
let arena: Arena;

beforeAll(async () => {
  arena = await openArena();
}, 2 * MINUTE_MS);
afterAll(() => arena.close(), MINUTE_MS);

const check = (body: Buffer, from: string): Promise<Answered> =>
  send(arena.service.url, { path: "/api/verify", headers: { "content-type": "application/pdf" }, body, from });

const upload = (pdf: Buffer, apiKey = arena.service.apiKey): Promise<Answered> =>
  send(arena.service.url, {
    path: "/api/v2/documentSet",
    headers: { "content-type": "application/json", "x-api-key": apiKey },
    body: JSON.stringify({
      document: pdf.toString("base64"),
      datos_firmantes: [sampleSigner(chance.below(900_000))],
      wpp: false,
    }),
  });

/** The dearest of small files, by what it takes to read them. */
const dearest = async (): Promise<Buffer> => {
  let most = 0;
  let file: Buffer = Buffer.alloc(0);
  for (const [number, make] of Object.values(structures).entries()) {
    let pdf = make(500);
    for (let size = 1_000; size <= 2_000_000 && make(size).length <= SEEN_BYTES; size *= 2) pdf = make(size);
    const { ms } = await check(pdf, addressOf(10_000 + number));
    if (ms <= most) continue;
    most = ms;
    file = pdf;
  }
  console.info(`the dearest file of at most ${SEEN_BYTES} bytes takes ${most.toFixed(0)} ms`);
  return file;
};

describe("one caller's backlog delays itself alone", () => {
  test("dear uploads of one account, and others' uploads and seals", { timeout: 3 * MINUTE_MS }, async () => {
    const pdf = await dearest();
    const other = rubricaClient({ url: arena.service.url, apiKey: await arena.account("Who signs") });
    const signing = await arena.link(other, { wpp: false });
    const { answers, sealedMs } = await arena.attack("30 dear uploads", async () => {
      const attacks = Promise.all(Array.from({ length: 30 }, () => upload(pdf)));
      const startedMs = systemClock.monotonicMs();
      const already = await other.send("GET", `/api/v2/documents/${signing.id}`);
      if (already.status !== 200) await other.sign(signing.url);
      await eventually("the seal", async () => {
        return (await other.send("GET", `/api/v2/documents/${signing.id}`)).status === 200;
      });
      const sealedMs = systemClock.monotonicMs() - startedMs;
      return { answers: await attacks, sealedMs };
    });
    expect(sealedMs).toBeLessThan(5_000);
    for (const answer of answers) expect(answer.status === 200 || isRefusal(answer), `${answer.status}`).toBe(true);
  });

  test("dear checks from one address, and others' checks", { timeout: 3 * MINUTE_MS }, async () => {
    const [pdf, good] = [await dearest(), await samplePdf()];
    const alone = await check(good, addressOf(1));
    const { answers, under } = await arena.attack("30 dear checks from one address", async () => {
      const attacks = Promise.all(Array.from({ length: 30 }, () => check(pdf, addressOf(2))));
      await systemClock.wait(300);
      const under: Answered[] = [];
      for (let number = 0; number < 5; number += 1) under.push(await check(good, addressOf(3 + number)));
      return { answers: await attacks, under };
    });
    for (const { status, ms } of under) {
      expect(status).toBe(200);
      expect(ms).toBeLessThan(Math.max(1_000, 5 * alone.ms));
    }
    for (const answer of answers) expect(answer.status === 200 || isRefusal(answer), `${answer.status}`).toBe(true);
  });
});

describe("many reports at once", () => {
  test("are built or refused, with a key and without", { timeout: 3 * MINUTE_MS }, async () => {
    const { client, service } = arena;
    const { id, url } = await arena.link(client, { wpp: false });
    await client.sign(url);
    const path = `/api/v2/reporte/${id}`;
    await eventually("the report", async () => (await client.send("GET", path)).status === 200);
    const headers = { "x-api-key": service.apiKey };
    const answers = await arena.attack(`${CROWD} reports at once`, () =>
      Promise.all(Array.from({ length: CROWD }, () => send(service.url, { path, headers }))),
    );
    for (const answer of answers) expect(answer.status === 200 || isRefusal(answer), `${answer.status}`).toBe(true);
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    expect((await client.send("GET", path)).status).toBe(200);
  });

  test("are not one more to ask for by leaving at once", { timeout: 3 * MINUTE_MS }, async () => {
    const { client, service } = arena;
    const { id, url } = await arena.link(client, { wpp: false });
    await client.sign(url);
    const path = `/api/v2/reporte/${id}`;
    await eventually("the report", async () => (await client.send("GET", path)).status === 200);
    await arena.attack(`${CROWD} reports that nobody waits for`, async () => {
      for (let number = 0; number < CROWD; number += 1) {
        const leaving = new AbortController();
        const asked = fetch(service.url + path, { headers: { "x-api-key": service.apiKey }, signal: leaving.signal });
        await systemClock.wait(10);
        leaving.abort();
        await asked.catch(() => undefined);
      }
    });
    await eventually("the report", async () => (await client.send("GET", path)).status === 200);
  });
});
