import { readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { systemClock } from "@rubrica/runtime";
import { eventually, samplePdf, sampleSigner, toolsMissing } from "@rubrica/test-kit";
import { expect, test } from "vitest";
import { joinArena, type OpenLink } from "./support/arena.ts";
import { busyPdf } from "./support/busy-pdf.ts";
import { docxFile } from "./support/packages.ts";
import { blankPng } from "./support/pictures.ts";
import { helpersOf } from "./support/process-tree.ts";
import { type Answered, addressOf, isRefusal, send } from "./support/requests.ts";
import { freshChance, scale } from "./support/seed.ts";

/** `npm run test:long` kills a hundred times. */
const ROUNDS = 5 * scale;

const chance = freshChance("helpers");
const arena = joinArena();

/** What each kind of helper is given to do, made ready before anybody is killed; and a good request, for afterwards. */
const works = async () => {
  const { service, client } = arena;
  const [pdf, small, photo] = [busyPdf(), await samplePdf(), blankPng(3_000)];
  const json = { "content-type": "application/json", "x-api-key": arena.apiKey };
  const sealed = await arena.link(client, { wpp: false });
  await client.sign(sealed.url);
  await eventually("a report", async () => {
    return (await client.read(`/api/v2/reporte/${sealed.id}`)).status === 200;
  });
  const requestOf = (document: Buffer) =>
    JSON.stringify({
      document: document.toString("base64"),
      datos_firmantes: [sampleSigner(chance.below(900_000))],
      wpp: false,
    });
  const good = (): Promise<Answered> =>
    send(service.url, { path: "/api/v2/documentSet", headers: json, body: requestOf(small) });
  const photographed = await arena.link(client, { request_photos: true, wpp: false });
  const signing = await arena.link(client, { wpp: false });
  return {
    good,
    owed: () => signAndSeal(signing),
    kinds: {
      "an upload": () => send(service.url, { path: "/api/v2/documentSet", headers: json, body: requestOf(pdf) }),
      "a check": () =>
        send(service.url, {
          path: "/api/verify",
          headers: { "content-type": "application/pdf" },
          body: pdf,
          from: addressOf(chance.below(100_000)),
        }),
      "a report": () => send(service.url, { path: `/api/v2/reporte/${sealed.id}`, headers: json }),
      "a photo": () =>
        send(service.url, {
          path: `${photographed.signing}/photos/selfie`,
          headers: { "content-type": "image/png" },
          body: photo,
        }),
      "a template": () =>
        send(service.url, {
          path: "/api/sendCargaMasiva",
          headers: json,
          body: JSON.stringify({
            document_type: "docx",
            document: docxFile().toString("base64"),
            firmante: { page: 0, position_x: 60, position_y: 650 },
            df: [
              { "nombre y apellido": "Ana Paz", dni: "30123456", msg: `54911${40_000_000 + chance.below(900_000)}` },
            ],
          }),
        }),
    } satisfies Record<string, () => Promise<Answered>>,
  };
};

/** Signs a document and waits until it is sealed: what is owed, whatever dies meanwhile. */
const signAndSeal = async ({ id, url }: OpenLink): Promise<void> => {
  // A drawing may be refused for now; a person then signs again.
  await eventually("the signature", async () => (await arena.client.postSignature(url)).status === 200);
  await eventually("the seal", async () => (await arena.client.read(`/api/v2/documents/${id}`)).status === 200);
};

test.skipIf(toolsMissing("soffice"))(
  `every helper process killed in the middle of its work, ${ROUNDS} times`,
  async () => {
    const killed = new Map<string, number>();
    const outcomes = new Map<string, number>();
    const count = (map: Map<string, number>, what: string) => map.set(what, (map.get(what) ?? 0) + 1);
    for (let round = 0; round < ROUNDS; round += 1) {
      const { good, owed, kinds } = await works();
      const sealed = owed();
      const asked = Object.entries(kinds).map(async ([what, ask]) => ({ what, answer: await ask() }));
      const dead = new Set<number>();
      const over = Promise.allSettled([sealed, ...asked]);
      // Once by turns, which all work survives; or again and again while there is some: those that were started in place of
      // the dead are killed too, for a while.
      const isOnce = round % 2 === 0;
      for (let blow = 0; blow < (isOnce ? 1 : 6); blow += 1) {
        await systemClock.wait(20 + chance.below(250));
        for (const { pid, pool } of helpersOf(arena.service.pid)) {
          if (dead.has(pid)) continue;
          dead.add(pid);
          count(killed, pool);
          kill(pid);
        }
      }
      await over;
      await sealed;
      for (const { what, answer } of await Promise.all(asked)) {
        const isSound = answer.status === 200 || (!isOnce && isRefusal(answer));
        expect(isSound, `${what}: ${answer.status}, ${isOnce ? "killed once" : "killed again and again"}`).toBe(true);
        count(outcomes, `${what}: ${answer.status}`);
      }
      expect((await good()).status).toBe(200);
    }
    console.info(`killed: ${lines(killed)}; answered: ${lines(outcomes)}`);
    expect(killed.size).toBeGreaterThanOrEqual(4);
  },
);

const kill = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself.
  }
};

/** What is asked of a process; undefined where it has ended. */
const unlessEnded = <Answer>(ask: () => Answer): Answer | undefined => {
  try {
    return ask();
  } catch {
    return undefined;
  }
};

const environmentOf = (pid: number): string | undefined =>
  unlessEnded(() => readFileSync(`/proc/${pid}/environ`, "utf8").replaceAll("\0", "\n"));

const givesWay = (pid: number): boolean | undefined => unlessEnded(() => getPriority(pid) > 0);

const lines = (map: ReadonlyMap<string, number>): string =>
  [...map].map(([what, times]) => `${what} ${times}`).join(", ");

test("helpers have neither SECRET nor keys in their environment, and give way to the service", async () => {
  const { good } = await works();
  expect((await good()).status).toBe(200);
  const helpers = helpersOf(arena.service.pid);
  expect(helpers.length).toBeGreaterThan(0);
  const seen: string[] = [];
  for (const { pid } of helpers) {
    const environment = environmentOf(pid);
    // Helpers that are not needed any more end meanwhile.
    if (!environment) continue;
    seen.push(environment);
    for (const name of ["SECRET", "KEY", "PASSPHRASE", "DATA_DIR"]) expect(environment).not.toContain(name);
    expect(environment).not.toContain(arena.service.apiKey);
    expect(environment).not.toContain(arena.apiKey);
    // It sets its priority itself, as the first thing that it does once it runs.
    await eventually("it gives way, or has ended", () => givesWay(pid) ?? true);
  }
  expect(seen).not.toEqual([]);
  expect((await arena.client.send("GET", "/livez")).status).toBe(200);
});
