// One attack of each kind on one service, as `test/system/attacks` has them by the hundred. Nothing is judged by time, so
// that other tests may run beside; nothing needs more than npm brings.
import { once } from "node:events";
import { createPdfEngine, loadOrCreateSigningIdentity } from "@rubrica/pdf";
import { systemRuntime } from "@rubrica/runtime";
import {
  eventLoopOf,
  eventually,
  rubricaClient,
  sampleDrawing,
  samplePdf,
  temporaryFolder,
  WATCHED_HEADER,
} from "@rubrica/test-kit";
import { PDFDocument, PDFName } from "pdf-lib";
import { expect, test } from "vitest";
import { inspect } from "../support/inspection.ts";
import { joinArena, nextSigner } from "../system/attacks/support/arena.ts";
import { busyPdf } from "../system/attacks/support/busy-pdf.ts";
import { packageShapes } from "../system/attacks/support/packages.ts";
import { manyKeys, pdfFile, structures } from "../system/attacks/support/pdfs.ts";
import { blankPng } from "../system/attacks/support/pictures.ts";
import { helpersOf, officeBytes, treeOf } from "../system/attacks/support/process-tree.ts";
import { reachingOut } from "../system/attacks/support/reaching-out.ts";
import { type Answered, addressOf, isRefusal, rawConnection, send } from "../system/attacks/support/requests.ts";
import { isWaiting, overtaken, waitingBefore } from "../system/attacks/support/wait.ts";

const SEEN = "203.0.113.7";
const LIE = "Alice, from her own office";
const MEGABYTE = 1_048_576;

const arena = joinArena({ TRUST_PROXY: "1" });
const json = { "content-type": "application/json" };

const post = (path: string, body: object | string, headers: Readonly<Record<string, string>> = {}): Promise<Answered> =>
  send(arena.service.url, {
    path,
    headers: { ...json, "x-api-key": arena.apiKey, ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

const upload = (pdf: Buffer, fields: object = {}): Promise<Answered> =>
  post("/api/v2/documentSet", {
    document: pdf.toString("base64"),
    datos_firmantes: [nextSigner()],
    wpp: false,
    ...fields,
  });

const expectAnswered = ({ status, headers, body }: Answered): void =>
  expect(status === 200 || isRefusal({ status, headers, body, ms: 0 }), `${status} ${body}`).toBe(true);

test("a PDF whose catalog has a million keys", async () => {
  const headers = { "content-type": "application/pdf" };
  const file = { path: "/api/verify", headers, body: manyKeys(), from: addressOf(1) };
  expectAnswered(await arena.attack("a million keys", () => send(arena.service.url, file)));
});

test("a DOCX with a part that inflates to 200 MB is refused before LibreOffice sees it", async () => {
  const docx = packageShapes["a part that inflates to much"]?.(200 * 1_024) ?? Buffer.alloc(0);
  const call = {
    document_type: "docx",
    document: docx.toString("base64"),
    firmante: { page: 0, position_x: 60, position_y: 650 },
    df: [{ "nombre y apellido": "Ana Paz", dni: "30123456", msg: "5491140000001" }],
  };
  expect((await arena.attack("a part bomb", () => post("/api/sendCargaMasiva", call))).status).toBe(400);
  expect(officeBytes(arena.service.pid)).toEqual({ native: 0, wasm: 0 });
});

test("26 MB of empty objects beside a good request", async () => {
  const objects = Array.from({ length: (26 * MEGABYTE) / 3 }, () => "{}").join(",");
  const document = (await samplePdf()).toString("base64");
  const body = `{"document":"${document}","datos_firmantes":[${JSON.stringify(nextSigner())}],"z":[${objects}]}`;
  expect(isRefusal(await arena.attack("empty objects", () => post("/api/v2/documentSet", body)))).toBe(true);
});

test("a photo of 64 megapixels", async () => {
  const { signing } = await arena.link(arena.client, { request_photos: true, wpp: false });
  const photo = { path: `${signing}/photos/selfie`, headers: { "content-type": "image/png" }, body: blankPng(8_000) };
  expectAnswered(await arena.attack("64 megapixels", () => send(arena.service.url, photo)));
});

test("bodies that are half-sent, without a key that is known", async () => {
  const bytes = 25 * MEGABYTE;
  const begun = 1_024;
  const head = `POST /api/v2/documentSet HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\nx-api-key: nobody's\r\n`;
  await arena.attack("8 half-sent bodies", async () => {
    const connections = Array.from({ length: 8 }, (_, index) => rawConnection(arena.service.port, addressOf(index)));
    for (const [index, { socket }] of connections.entries())
      socket.write(`${head}content-length: ${bytes}\r\n\r\n${" ".repeat(index === 0 ? begun : bytes - 1)}`);
    await Promise.all(connections.map(({ closed, socket }) => Promise.race([closed, once(socket, "data")])));
    // Those whose senders still write may be cut before their answer is read.
    const [first, ...others] = connections.map(({ answer }) => answer().slice(9, 12));
    expect(first).toBe("401");
    expect(others.every((status) => ["", "401"].includes(status))).toBe(true);
    for (const connection of connections) connection[Symbol.dispose]();
  });
});

test("a helper that dies in the middle of its work", async () => {
  const pdf = busyPdf(100);
  const works = (): number[] => {
    const busy = new Set(treeOf(arena.service.pid).flatMap(({ pid, state }) => (state === "R" ? [pid] : [])));
    return helpersOf(arena.service.pid).flatMap(({ pid, pool }) => (pool === "uploads" && busy.has(pid) ? [pid] : []));
  };
  await arena.attack("a helper killed", async () => {
    const answer = upload(pdf);
    const [helper] = await eventually("a helper at work", () => (works().length > 0 ? works() : undefined));
    if (helper !== undefined) process.kill(helper, "SIGKILL");
    // Another one does its work.
    expect((await answer).status).toBe(200);
  });
  expect((await upload(await samplePdf())).status).toBe(200);
});

test("names that turn writing around, broken UTF-8, compressed bodies", async () => {
  const pdf = await samplePdf();
  await arena.attack("texts", async () => {
    expect((await upload(pdf, { document_name: "Ana \u202ePaz" })).status).toBe(400);
    expect((await upload(pdf, { datos_firmantes: [{ ...nextSigner(), name: "\u200b" }] })).status).toBe(400);
    const keyed = { "idempotency-key": "half a character" };
    expect((await post("/api/v2/documentSet", '{"z":"\\ud800"}', keyed)).status).toBe(400);
    expect((await post("/api/v2/documentSet", "{}", { "content-encoding": "gzip" })).status).toBe(415);
    const body = Buffer.of(0x7b, 0xff, 0x7d);
    const path = "/api/v2/documentSet";
    const headers = { ...json, "x-api-key": arena.apiKey };
    expect((await send(arena.service.url, { path, headers, body })).status).toBe(400);
  });
});

/** Signs over a proxy that saw this address, and gives what the events tell of the document. */
const recordedOf = async (forwardedFor: string): Promise<string> => {
  const { id, signing } = await arena.link(arena.client, { wpp: false });
  const { consent, document_sha256 } = (await arena.client.read(signing)).json<{
    consent: { version: string };
    document_sha256: string;
  }>();
  const body = JSON.stringify({ garabato: sampleDrawing, consent_version: consent.version, document_sha256 });
  const headers = { ...json, "x-forwarded-for": forwardedFor };
  expect((await send(arena.service.url, { path: `${signing}/sign`, headers, body })).status).toBe(200);
  await using stores = await inspect(arena.service.dataDir);
  const events = (await stores.events()).filter(({ streamId }) => streamId === id);
  return JSON.stringify(events, (_name, value) => (typeof value === "bigint" ? String(value) : value));
};

test("an address that a signer writes is not recorded: the proxy's is, or none", async () => {
  await arena.attack("addresses", async () => {
    const seen = await recordedOf(`${LIE}, 198.51.100.9, ${SEEN}`);
    expect(seen).toContain(SEEN);
    expect(seen).not.toMatch(/Alice|198\.51\.100\.9/);
    expect(await recordedOf(LIE)).not.toContain("Alice");
  });
});

test("no page holds the demo account's key or the simulator's, and the simulator wants one", async () => {
  const { url, apiKey, simulatorKey } = arena.service;
  await arena.attack("keys", async () => {
    for (const path of ["/", "/simulator", "/reference", "/openapi.json", "/verify", "/readyz"]) {
      const { body, headers } = await send(url, { path, headers: { accept: "text/html", host: "127.0.0.1" } });
      const whole = body.toString("latin1") + JSON.stringify(headers);
      expect([whole.includes(apiKey), whole.includes(simulatorKey)], path).toEqual([false, false]);
    }
    expect((await send(url, { path: "/simulator/messages?phone=5491140000001" })).status).toBe(401);
  });
});

test("a script in a PDF is gone before anybody sees it", async () => {
  const pdf = pdfFile({ catalog: "/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>" });
  const catalogOf = async (bytes: Uint8Array) => (await PDFDocument.load(bytes)).catalog;
  expect((await catalogOf(pdf)).get(PDFName.of("OpenAction"))).toBeDefined();
  await arena.attack("a script", async () => {
    const { urls } = await arena.client.requestDocument(pdf, [nextSigner()], { wpp: false });
    const path = `/api/signing/${new URL(urls[0]?.link ?? "").pathname.slice(3)}/document`;
    const { bytes } = await arena.client.read(path);
    expect((await catalogOf(bytes)).get(PDFName.of("OpenAction"))).toBeUndefined();
    expect(bytes.includes("JavaScript")).toBe(false);
  });
});

test("a template that leads an office program to an address, or to a file of the machine, by whatever way", async () => {
  await arena.attack("templates that reach out", async () => {
    for (const [how, make] of Object.entries(reachingOut)) {
      for (const target of ["http://127.0.0.1:9/a.png", "file:///etc/hostname"]) {
        const call = {
          document_type: "docx",
          document: make(target).toString("base64"),
          firmante: { page: 1, position_x: 60, position_y: 650 },
          df: [{ "nombre y apellido": "Ana Paz", dni: "30123456", msg: "5491140000001" }],
        };
        expect((await post("/api/sendCargaMasiva", call)).status, how).toBe(400);
      }
    }
    expect(officeBytes(arena.service.pid)).toEqual({ native: 0, wasm: 0 });
  });
});

test("a backlog of one account delays itself alone", async () => {
  const backlog = 12;
  // A few KB that take long, so that all of it is there at once.
  const [dear, good] = [structures["text in the content"]?.(50_000) ?? Buffer.alloc(0), await samplePdf()];
  const { apiKey, caller } = await arena.account({ name: "Who waits" });
  const uploadAs = (name: string, key: string, pdf: Buffer): Promise<Answered> =>
    post(
      "/api/v2/documentSet",
      { document: pdf.toString("base64"), datos_firmantes: [nextSigner()], wpp: false },
      { "x-api-key": key, [WATCHED_HEADER]: name },
    );
  await arena.attack(`${backlog} dear uploads`, async () => {
    const theirs = Array.from({ length: backlog }, () => uploadAs("theirs", arena.apiKey, dear));
    await eventually("a backlog", async () => {
      const { requestsUnderWay, tasks } = await eventLoopOf(arena.service.eventLoopSocket);
      return requestsUnderWay > backlog / 2 && isWaiting(tasks, arena.caller);
    });
    expect((await uploadAs("good", apiKey, good)).status).toBe(200);
    for (const answer of await Promise.all(theirs)) expectAnswered(answer);
  });
  expect(waitingBefore(arena.watched, "good", "theirs")).toBeGreaterThan(backlog / 2);
  console.log(
    JSON.stringify(arena.watched),
    arena.tasks
      .map(
        (t) => `${t.what} ${t.pool} ${t.caller === caller ? "good" : t.caller === arena.caller ? "theirs" : t.caller}`,
      )
      .join("\n"),
  );
  expect(overtaken(arena.tasks, caller, arena.caller)).toBe(0);
});

test("a file that somebody signed before is shown and sealed as it was signed, with what it does", async () => {
  using folder = temporaryFolder();
  const { clock, random } = systemRuntime();
  const engine = createPdfEngine({ clock });
  const identity = await loadOrCreateSigningIdentity(folder.path, "http://localhost", clock, random);
  const before = pdfFile({ catalog: "/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>" });
  const { bytes: signed } = await engine.seal(before, { identity, sealedAt: clock.now() });
  await engine.close();
  await arena.attack("a signed script", async () => {
    const client = rubricaClient({ url: arena.service.url, apiKey: arena.apiKey });
    const { id_seguimiento: id, urls } = await client.requestDocument(Buffer.from(signed), [nextSigner()], {
      wpp: false,
    });
    const link = urls[0]?.link ?? "";
    const seen = await client.read(`/api/signing/${new URL(link).pathname.slice(3)}/document`);
    expect(seen.bytes.equals(signed)).toBe(true);
    await client.sign(link);
    const sealed = await eventually("the sealed file", async () => {
      const { status, bytes } = await client.read(`/api/v2/documents/${id}`);
      return status === 200 && bytes;
    });
    expect(sealed.subarray(0, signed.length).equals(signed)).toBe(true);
  });
});
