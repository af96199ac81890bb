import { systemClock } from "@rubrica/runtime";
import { eventLoopOf, eventually, rubricaClient, sampleDrawing, samplePdf, WATCHED_HEADER } from "@rubrica/test-kit";
import { describe, expect, test } from "vitest";
import { joinArena, nextSigner, type OpenLink } from "./support/arena.ts";
import { manyKeys, structures } from "./support/pdfs.ts";
import { type Answered, addressOf, isRefusal, type Sent, send } from "./support/requests.ts";
import { type Wait, waitOf } from "./support/wait.ts";

const CROWD = 60;
const BACKLOG = 30;
/** Of a backlog, so many may be answered before somebody else's request: those that were in hand when it came. */
const MOST_BEFORE_ONE = 2;
/** A signature and its seal are several tasks of several pools; the backlog's own helper goes on beside them. */
const MOST_BEFORE_A_SEAL = 5;
/** Dear for their size: 8 KB that take most of a second to be accepted, 2 MB that take a quarter of one to be checked. */
const dear = { upload: () => structures["text in the content"]?.(100_000) ?? Buffer.alloc(0), check: manyKeys };

const arena = joinArena();

/** A request whose wait is watched. */
const watched = (name: string, sent: Sent): Promise<Answered> =>
  send(arena.service.url, { ...sent, headers: { ...sent.headers, [WATCHED_HEADER]: name } });

const check = (body: Buffer, from: string, name: string): Promise<Answered> =>
  watched(name, { path: "/api/verify", headers: { "content-type": "application/pdf" }, body, from });

const upload = (pdf: Buffer, apiKey: string, name: string): Promise<Answered> =>
  watched(name, {
    path: "/api/v2/documentSet",
    headers: { "content-type": "application/json", "x-api-key": apiKey },
    body: JSON.stringify({ document: pdf.toString("base64"), datos_firmantes: [nextSigner()], wpp: false }),
  });

const sayWait = ({ waiting, overtook }: Wait): string => `${waiting} waited, ${overtook} came before the end`;

/** Who still writes a large body may miss its refusal: the connection is cut then, where the rest is not wanted. */
const isCut = ({ status }: Answered): boolean => status === 0;

const expectAnswered = (answers: readonly Answered[]): void => {
  for (const answer of answers) expect(answer.status === 200 || isRefusal(answer), `${answer.status}`).toBe(true);
};

/** Signs, and waits for the seal; its requests are watched under one name. */
const signAndSeal = async ({ id, signing }: OpenLink, apiKey: string): Promise<void> => {
  const client = rubricaClient({ url: arena.service.url, apiKey });
  const { consent, document_sha256 } = (await client.read(signing)).json<{
    consent: { version: string };
    document_sha256: string;
  }>();
  const body = JSON.stringify({ garabato: sampleDrawing, consent_version: consent.version, document_sha256 });
  const headers = { "content-type": "application/json" };
  expect((await watched("seal", { path: `${signing}/sign`, headers, body })).status).toBe(200);
  await eventually("the seal", async () => (await client.read(`/api/v2/documents/${id}`)).status === 200);
  await watched("seal", { path: `/api/v2/documents/${id}`, headers: { "x-api-key": apiKey } });
};

describe("one caller's backlog delays itself alone", () => {
  test("dear uploads of one account, and others' uploads and seals", async () => {
    const [pdf, good] = [dear.upload(), await samplePdf()];
    const apiKey = await arena.account({ name: "Who signs" });
    const signing = await arena.link(rubricaClient({ url: arena.service.url, apiKey }), { wpp: false });
    const answers = await arena.attack(`${BACKLOG} dear uploads`, async () => {
      const attacks = Array.from({ length: BACKLOG }, () => upload(pdf, arena.apiKey, "theirs"));
      await eventually("a backlog", async () => {
        return (await eventLoopOf(arena.service.eventLoopSocket)).requestsUnderWay >= BACKLOG;
      });
      expect((await upload(good, apiKey, "upload")).status).toBe(200);
      await signAndSeal(signing, apiKey);
      return await Promise.all(attacks);
    });
    const [uploaded, sealed] = [waitOf(arena.watched, "upload", "theirs"), waitOf(arena.watched, "seal", "theirs")];
    console.info(`${sayWait(uploaded)} of an upload; ${sayWait(sealed)} of a seal`);
    expect(uploaded.waiting).toBeGreaterThan(BACKLOG / 2);
    expect(uploaded.overtook).toBeLessThanOrEqual(MOST_BEFORE_ONE);
    expect(sealed.overtook).toBeLessThanOrEqual(MOST_BEFORE_A_SEAL);
    expectAnswered(answers);
  });

  test("dear checks from one address, and others' checks", async () => {
    const [pdf, good] = [dear.check(), await samplePdf()];
    const names = Array.from({ length: 5 }, (_, number) => `check ${number}`);
    const { answers, under } = await arena.attack(`${BACKLOG} dear checks from one address`, async () => {
      const attacks = Array.from({ length: BACKLOG }, () => check(pdf, addressOf(2), "theirs"));
      // The others wait when the first is answered.
      await Promise.race(attacks);
      const under: Answered[] = [];
      for (const [number, name] of names.entries()) under.push(await check(good, addressOf(3 + number), name));
      return { answers: await Promise.all(attacks), under };
    });
    for (const { status } of under) expect(status).toBe(200);
    const waits = names.map((name) => waitOf(arena.watched, name, "theirs"));
    console.info(waits.map(sayWait).join("; "));
    expect(waits[0]?.waiting).toBeGreaterThan(0);
    for (const { overtook } of waits) expect(overtook).toBeLessThanOrEqual(MOST_BEFORE_ONE);
    expectAnswered(answers.filter((answer) => !isCut(answer)));
    expect(answers.filter(isCut).length).toBeLessThan(BACKLOG / 2);
  });
});

describe("many reports at once", () => {
  /** The path of a signed document's report, once it can be had. */
  const reportPath = async (): Promise<string> => {
    const { client } = arena;
    const { id, url } = await arena.link(client, { wpp: false });
    await client.sign(url);
    const path = `/api/v2/reporte/${id}`;
    await eventually("the report", async () => (await client.read(path)).status === 200);
    return path;
  };

  test("are built or refused, with a key and without", async () => {
    const path = await reportPath();
    const headers = { "x-api-key": arena.apiKey };
    const answers = await arena.attack(`${CROWD} reports at once`, () =>
      Promise.all(Array.from({ length: CROWD }, () => send(arena.service.url, { path, headers }))),
    );
    expectAnswered(answers);
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    expect((await arena.client.read(path)).status).toBe(200);
  });

  test("are not one more to ask for by leaving at once", async () => {
    const path = await reportPath();
    const headers = { "x-api-key": arena.apiKey };
    await arena.attack(`${CROWD} reports that nobody waits for`, async () => {
      for (let number = 0; number < CROWD; number += 1) {
        const leaving = new AbortController();
        const asked = fetch(arena.service.url + path, { headers, signal: leaving.signal });
        await systemClock.wait(10);
        leaving.abort();
        await asked.catch(() => undefined);
      }
    });
    await eventually("the report", async () => (await arena.client.read(path)).status === 200);
  });
});
