import { systemClock } from "@rubrica/runtime";
import { eventLoopOf, eventually, rubricaClient, sampleDrawing, samplePdf, WATCHED_HEADER } from "@rubrica/test-kit";
import { describe, expect, test } from "vitest";
import { joinArena, nextSigner, type OpenLink } from "./support/arena.ts";
import { manyKeys, structures } from "./support/pdfs.ts";
import { type Answered, addressOf, isRefusal, type Sent, send } from "./support/requests.ts";
import { callersOf, isWaiting, overtaken, waitingBefore } from "./support/wait.ts";

const CROWD = 60;
const BACKLOG = 30;
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

/** Who still writes a large body may miss its refusal: the connection is cut then, where the rest is not wanted. */
const isCut = ({ status }: Answered): boolean => status === 0;

const expectAnswered = (answers: readonly Answered[]): void => {
  for (const answer of answers) expect(answer.status === 200 || isRefusal(answer), `${answer.status}`).toBe(true);
};

/** Signs, and waits for the seal. */
const signAndSeal = async ({ id, signing }: OpenLink, apiKey: string): Promise<void> => {
  const client = rubricaClient({ url: arena.service.url, apiKey });
  const { consent, document_sha256 } = (await client.read(signing)).json<{
    consent: { version: string };
    document_sha256: string;
  }>();
  const body = JSON.stringify({ garabato: sampleDrawing, consent_version: consent.version, document_sha256 });
  const headers = { "content-type": "application/json" };
  expect((await send(arena.service.url, { path: `${signing}/sign`, headers, body })).status).toBe(200);
  await eventually("the seal", async () => (await client.read(`/api/v2/documents/${id}`)).status === 200);
};

describe("one caller's backlog delays itself alone", () => {
  test("dear uploads of one account, and others' uploads and seals", async () => {
    const [pdf, good] = [dear.upload(), await samplePdf()];
    const { apiKey, caller } = await arena.account({ name: "Who signs" });
    const signing = await arena.link(rubricaClient({ url: arena.service.url, apiKey }), { wpp: false });
    const answers = await arena.attack(`${BACKLOG} dear uploads`, async () => {
      const attacks = Array.from({ length: BACKLOG }, () => upload(pdf, arena.apiKey, "theirs"));
      await eventually("a backlog", async () => {
        const { requestsUnderWay, tasks } = await eventLoopOf(arena.service.eventLoopSocket);
        return requestsUnderWay > BACKLOG / 2 && isWaiting(tasks, arena.caller);
      });
      expect((await upload(good, apiKey, "upload")).status).toBe(200);
      await signAndSeal(signing, apiKey);
      return await Promise.all(attacks);
    });
    expect(waitingBefore(arena.watched, "upload", "theirs")).toBeGreaterThan(BACKLOG / 2);
    expect(overtaken(arena.tasks, caller, arena.caller)).toBe(0);
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
    expect(waitingBefore(arena.watched, names[0] ?? "", "theirs")).toBeGreaterThan(0);
    // Which address is counted under which name, nobody outside can tell.
    const [theirs = "", ...callers] = callersOf(arena.tasks.filter((task) => task.caller.startsWith("address:")));
    expect(callers.length).toBeGreaterThan(0);
    for (const caller of callers) expect(overtaken(arena.tasks, caller, theirs)).toBe(0);
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
