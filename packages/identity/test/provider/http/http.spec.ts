import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { inspect } from "node:util";
import { sample } from "@rubrica/events";
import { type Clock, systemClock } from "@rubrica/runtime";
import { ManualClock } from "@rubrica/runtime/testing";
import { answer, type Handler, KEY, startServer } from "@rubrica/test-kit/identity/adapter";
import { checkOf, maria, never } from "@rubrica/test-kit/identity/contract";
import { describe, expect, test } from "vitest";
import {
  createHttpIdentityProvider,
  type HttpIdentityLimits,
  type HttpIdentityProviderOptions,
  IdentityProviderUnavailable,
} from "../../../src/provider/index.ts";

/** Passes over the pauses that an adapter asks for; requests have their time. */
const hurried: Clock = {
  ...systemClock,
  wait: (durationMs, options) => systemClock.wait(durationMs > 10_000 ? durationMs : 0, options),
};

const engine = (url: string, options: Partial<HttpIdentityProviderOptions> = {}) =>
  createHttpIdentityProvider({ provider: sample.provider, url, key: KEY, clock: hurried, ...options });

const approved = { result: "approved" };
const good = { selfie: approved, idFront: approved, idBack: approved };

const unavailable = async (answering: Promise<unknown>): Promise<IdentityProviderUnavailable> => {
  const error = await answering.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(IdentityProviderUnavailable);
  return error as IdentityProviderUnavailable;
};

/** What a check comes to when the server does this. */
const checkAgainst = async (listener: Handler, limits: Partial<HttpIdentityLimits> = {}) => {
  await using server = await startServer(listener);
  return await unavailable(engine(server.url, { limits }).check(await checkOf(), never));
};

const sha256Of = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

const fileOf = (bytes: Buffer, fields = {}) => ({
  kind: "photo",
  name: "selfie-1.jpg",
  mediaType: "image/jpeg",
  sha256: sha256Of(bytes),
  base64: bytes.toString("base64"),
  ...fields,
});

const JPEG = Buffer.from("\xff\xd8\xff\xe0 a picture", "latin1");

/** What is made of an evidence answer. */
const evidenceOf = async (body: unknown, limits: Partial<HttpIdentityLimits> = {}) => {
  await using server = await startServer((_request, response) => answer(response, 200, body));
  return await engine(server.url, { limits }).evidence("document-1/signer-1", never);
};

describe("what is asked", () => {
  test("a check is posted with key, idempotency key, person, and photos with their hashes", async () => {
    const check = await checkOf();
    let [asked, body]: [IncomingMessage?, unknown?] = [];
    await using server = await startServer((request, response, text) => {
      [asked, body] = [request, JSON.parse(text)];
      answer(response, 200, good);
    });
    await engine(`${server.url}/`).check(check, never);
    expect(asked).toMatchObject({
      method: "POST",
      url: "/identity/checks",
      headers: { authorization: `Bearer ${KEY}`, "idempotency-key": "check-1", "content-type": "application/json" },
    });
    const photo = (jpeg: Uint8Array) => ({
      attempt: 1,
      mediaType: "image/jpeg",
      sha256: sha256Of(jpeg),
      base64: Buffer.from(jpeg).toString("base64"),
    });
    expect(body).toEqual({
      checkId: "check-1",
      subject: "document-1/signer-1",
      person: maria,
      photos: {
        selfie: photo(check.photos.selfie.jpeg),
        idFront: photo(check.photos.idFront.jpeg),
        idBack: photo(check.photos.idBack.jpeg),
      },
    });
  });

  test("evidence is asked for by the subject, as one part of the path", async () => {
    let asked: IncomingMessage | undefined;
    await using server = await startServer((request, response) => {
      asked = request;
      answer(response, 404, {});
    });
    expect(await engine(server.url).evidence("document-1/signer-1", never)).toEqual([]);
    expect(asked).toMatchObject({
      method: "GET",
      url: "/identity/subjects/document-1%2Fsigner-1/evidence",
      headers: { authorization: `Bearer ${KEY}` },
    });
  });
});

describe("a verdict", () => {
  test("may leave out what is null, and say more than is known", async () => {
    await using server = await startServer((_request, response) => answer(response, 200, { ...good, score: 0.97 }));
    const none = { result: "approved", reason: null };
    expect(await engine(server.url).check(await checkOf(), never)).toEqual({
      selfie: none,
      idFront: none,
      idBack: none,
      mrz: null,
      documentError: null,
      rejection: null,
      simulated: false,
    });
  });

  test("is taken as it is", async () => {
    const verdict = {
      selfie: { result: "rejected", reason: "face_not_found" },
      idFront: { result: "approved", reason: null },
      idBack: { result: "approved", reason: null },
      mrz: ["IDARG", "83", "X"],
      documentError: "expired",
      rejection: "face_mismatch",
      simulated: true,
    };
    await using server = await startServer((_request, response) => answer(response, 200, verdict));
    expect(await engine(server.url).check(await checkOf(), never)).toEqual(verdict);
  });

  test.each<[string, unknown]>([
    ["a photo is missing", { ...good, idBack: undefined }],
    ["a result is no result", { ...good, selfie: { result: "maybe" } }],
    ["a reason is a sentence", { ...good, rejection: "María's face does not match" }],
    ["a reason is long", { ...good, rejection: "x".repeat(61) }],
    ["the zone has no lines", { ...good, mrz: [] }],
    ["the zone has four lines", { ...good, mrz: ["A", "B", "C", "D"] }],
    ["a line is long", { ...good, mrz: ["A".repeat(65)] }],
    ["it is a list", [good]],
    ["it is null", null],
  ])("is not taken when %s", async (_what, body) => {
    const error = await checkAgainst((_request, response) => answer(response, 200, body));
    expect(error).toMatchObject({ reason: "bad_answer", permanent: false });
  });

  test.each<[string, string | Buffer]>([
    ["HTML", "<html>María 30123456</html>"],
    ["nothing", ""],
    ["half of it", JSON.stringify(good).slice(0, -1)],
    ["no UTF-8", Buffer.from([0x22, 0xff, 0xfe, 0x22])],
  ])("is not taken when the answer is %s, which no error repeats", async (_what, body) => {
    const error = await checkAgainst((_request, response) => response.end(body));
    expect(error).toMatchObject({ reason: "bad_answer", permanent: false });
    expect(inspect(error, { depth: 10 })).not.toMatch(/María|30123456/);
  });

  test("is not taken when it is longer than its limit, and is not read any further", async () => {
    const { promise: hungUp, resolve: hangUp } = Promise.withResolvers<void>();
    const error = await checkAgainst((_request, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384, " ")));
      };
      response.on("drain", more).on("close", hangUp).write(JSON.stringify(good));
      more();
    });
    expect(error).toMatchObject({ reason: "bad_answer", permanent: false });
    await hungUp;
  });
});

describe("trouble", () => {
  test.each([
    [400, "refused", true],
    [409, "refused", true],
    [413, "refused", true],
    [422, "refused", true],
    [401, "refused", false],
    [403, "refused", false],
    [404, "refused", false],
    [405, "refused", false],
    [408, "busy", false],
    [425, "busy", false],
    [429, "busy", false],
    [500, "busy", false],
    [502, "busy", false],
    [503, "busy", false],
    [204, "bad_answer", false],
    [304, "bad_answer", false],
  ])("status %i means %s, permanent: %s", async (status, reason, permanent) => {
    const error = await checkAgainst((_request, response) => response.writeHead(status).end());
    expect(error).toMatchObject({ reason, permanent });
    expect(String(error.cause)).toContain(String(status));
  });

  test("a redirect is not followed: nobody else gets to see photos and key", async () => {
    let visits = 0;
    await using elsewhere = await startServer((_request, response) => {
      visits += 1;
      answer(response, 200, good);
    });
    for (const status of [301, 302, 303, 307, 308]) {
      const error = await checkAgainst((_request, response) => {
        response.writeHead(status, { location: `${elsewhere.url}/checks` }).end();
      });
      expect(error).toMatchObject({ reason: "bad_answer", permanent: false });
    }
    expect(visits).toBe(0);
  });

  test.each<[string, Handler]>([
    ["is reset", (request) => request.socket.resetAndDestroy()],
    ["breaks off in the middle", (_request, response) => breakOff(response)],
    ["does not speak HTTP", (request) => request.socket.end("María 30123456\r\n\r\n")],
  ])("a connection that %s is unreachable, for now", async (_what, listener) => {
    const error = await checkAgainst(listener);
    expect(error).toMatchObject({ reason: "unreachable", permanent: false });
    expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(/María|30123456/);
  });

  test("nobody there is unreachable, for now", async () => {
    const server = await startServer(() => {});
    await server[Symbol.asyncDispose]();
    const error = await unavailable(engine(server.url).check(await checkOf(), never));
    expect(error).toMatchObject({ reason: "unreachable", permanent: false });
  });

  test.each([
    ["its own", 30_000, {}],
    ["the check's", 10_000, { checkTimeoutMs: 10_000 }],
  ])("an answer that does not come in time (%s) is a timeout, and is not waited for", async (_whose, ms, limits) => {
    const clock = new ManualClock();
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const { promise: hungUp, resolve: hangUp } = Promise.withResolvers<void>();
    await using server = await startServer((_request, response) => {
      response.once("close", hangUp).write('{"selfie":');
      ask();
    });
    const failing = unavailable(engine(server.url, { clock, limits }).check(await checkOf(), never));
    await asked;
    clock.advance(ms);
    expect(await failing).toMatchObject({ reason: "timeout", permanent: false });
    await hungUp;
  });

  test("no error holds the key, or what was asked", async () => {
    const listeners: Handler[] = [
      (request) => request.socket.resetAndDestroy(),
      (_request, response) => response.writeHead(401).end(),
      (_request, response) => answer(response, 200, { ...good, rejection: KEY }),
    ];
    for (const listener of listeners) {
      const told = inspect(await checkAgainst(listener), { depth: 10, showHidden: true });
      for (const secret of [KEY, maria.name, maria.idNumber]) expect(told).not.toContain(secret);
    }
  });
});

const breakOff = (response: ServerResponse): void => {
  response.writeHead(200, { "content-length": "1000" });
  response.write("half", () => response.destroy());
};

/** A clock that passes the pauses between two questions by itself, and otherwise stands still. */
class PassingClock extends ManualClock {
  readonly pausesMs: number[] = [];
  override wait(durationMs: number, options: Parameters<Clock["wait"]>[1] = {}): Promise<void> {
    // A request has a signal of its own.
    if (options.signal !== never) return super.wait(durationMs, options);
    this.pausesMs.push(durationMs);
    this.advance(durationMs);
    return Promise.resolve();
  }
}

describe("a provider that is still working", () => {
  test.each([
    ["3", 3_000],
    ["0", 1_000],
    ["29", 29_000],
    ["86400", 30_000],
    ["Thu, 01 Jan 2026 00:00:07 GMT", 7_000],
    ["Thu, 01 Jan 1970 00:00:00 GMT", 1_000],
    ["soon", 5_000],
    [undefined, 5_000],
  ])("and says Retry-After: %s is asked again after %i ms, the same with the same key", async (header, pauseMs) => {
    const clock = new PassingClock();
    const questions: string[] = [];
    await using server = await startServer((request, response, body) => {
      questions.push(`${request.headers["idempotency-key"]} ${body}`);
      const isFirst = questions.length === 1;
      answer(response, isFirst ? 202 : 200, good, header === undefined ? {} : { "retry-after": header });
    });
    const verdict = await engine(server.url, { clock }).check(await checkOf(), never);
    expect(verdict.selfie.result).toBe("approved");
    expect(clock.pausesMs).toEqual([pauseMs]);
    expect(questions).toEqual([questions[0], questions[0]]);
  });

  test("is given up after two minutes in all", async () => {
    const clock = new PassingClock();
    let questions = 0;
    await using server = await startServer((_request, response) => {
      questions += 1;
      answer(response, 202, {}, { "retry-after": "25" });
    });
    const error = await unavailable(engine(server.url, { clock }).check(await checkOf(), never));
    expect(error).toMatchObject({ reason: "timeout", permanent: false });
    expect([questions, clock.pausesMs]).toEqual([5, [25_000, 25_000, 25_000, 25_000, 20_000]]);
  });

  test("is not asked again when nobody wants to know any more", async () => {
    const given = new AbortController();
    let questions = 0;
    const { promise: pausing, resolve: pause } = Promise.withResolvers<void>();
    const clock = new ManualClock();
    const wait = clock.wait.bind(clock);
    clock.wait = (durationMs, options = {}) => {
      if (options.signal === given.signal) pause();
      return wait(durationMs, options);
    };
    await using server = await startServer((_request, response) => {
      questions += 1;
      answer(response, 202, {});
    });
    const failing = engine(server.url, { clock }).check(await checkOf(), given.signal);
    await pausing;
    given.abort(new Error("not wanted"));
    await expect(failing).rejects.toThrow("not wanted");
    expect(questions).toBe(1);
  });
});

describe("evidence", () => {
  test("is the files, with their bytes", async () => {
    const text = Buffer.from("Prüfung bestanden");
    const fields = { kind: "audit", name: "Audit (1).txt", mediaType: "text/plain" };
    const files = [fileOf(JPEG), fileOf(JPEG, { shows: "idBack" }), fileOf(text, fields)];
    expect(await evidenceOf({ files, page: 1 })).toEqual([
      { kind: "photo", shows: null, name: "selfie-1.jpg", mediaType: "image/jpeg", bytes: JPEG },
      { kind: "photo", shows: "idBack", name: "selfie-1.jpg", mediaType: "image/jpeg", bytes: JPEG },
      { ...fields, shows: null, bytes: text },
    ]);
  });

  test("may be none", async () => {
    expect(await evidenceOf({ files: [] })).toEqual([]);
  });

  test("is taken up to its limits", async () => {
    const files = Array.from({ length: 20 }, () => fileOf(JPEG));
    expect(await evidenceOf({ files }, { maxFileBytes: JPEG.length })).toHaveLength(20);
  });

  test.each<[string, unknown, Partial<HttpIdentityLimits>?]>([
    ["a hash is another's", { files: [fileOf(JPEG, { sha256: sha256Of(Buffer.from("other")) })] }],
    ["a hash is missing", { files: [fileOf(JPEG, { sha256: undefined })] }],
    ["there are 21 files", { files: Array.from({ length: 21 }, () => fileOf(JPEG)) }],
    ["a file is too large", { files: [fileOf(JPEG)] }, { maxFileBytes: JPEG.length - 1 }],
    ["all is too large", { files: [fileOf(JPEG)] }, { maxEvidenceBytes: 100 }],
    ["a file is empty", { files: [fileOf(Buffer.alloc(0))] }],
    ["a photo is none", { files: [fileOf(Buffer.from("<html>"))] }],
    ["a PNG is a JPEG", { files: [fileOf(JPEG, { mediaType: "image/png" })] }],
    ["a PDF is a JPEG", { files: [fileOf(JPEG, { mediaType: "application/pdf" })] }],
    ["JSON is none", { files: [fileOf(Buffer.from("{"), { mediaType: "application/json" })] }],
    ["text is none", { files: [fileOf(JPEG, { mediaType: "text/plain" })] }],
    ["its kind is unknown", { files: [fileOf(Buffer.from("<html>"), { mediaType: "text/html" })] }],
    ["a name is a path", { files: [fileOf(JPEG, { name: "../selfie.jpg" })] }],
    ["there is no list", {}],
  ])("is not taken when %s", async (_what, body, limits) => {
    const error = await unavailable(evidenceOf(body, limits));
    expect(error).toMatchObject({ reason: "bad_answer", permanent: false });
  });

  test.each([
    [400, "refused"],
    [401, "refused"],
    [429, "busy"],
    [500, "busy"],
    [202, "bad_answer"],
    [302, "bad_answer"],
  ])("is not to be had when the status is %i: %s", async (status, reason) => {
    await using server = await startServer((_request, response) => response.writeHead(status).end());
    expect(await unavailable(engine(server.url).evidence("subject", never))).toMatchObject({ reason });
  });
});

describe("forgetting", () => {
  const forgetting = async (status: number) => {
    let asked: IncomingMessage | undefined;
    await using server = await startServer((request, response) => {
      asked = request;
      response.writeHead(status).end();
    });
    await engine(server.url).forget("document-1/signer-1", never);
    return asked;
  };

  test.each([200, 202, 204, 404, 405, 410, 501])(
    "is over with status %i: there is nothing more to ask",
    async (status) => {
      expect(await forgetting(status)).toMatchObject({
        method: "DELETE",
        url: "/identity/subjects/document-1%2Fsigner-1",
        headers: { authorization: `Bearer ${KEY}` },
      });
    },
  );

  test.each([
    [302, "busy"],
    [400, "refused"],
    [401, "refused"],
    [403, "refused"],
    [429, "busy"],
    [500, "busy"],
    [503, "busy"],
  ])("is to be asked for again when the status is %i: %s", async (status, reason) => {
    expect(await unavailable(forgetting(status))).toMatchObject({ reason, permanent: false });
  });
});

describe("where the provider is", () => {
  test.each([
    "ftp://adapter.example/",
    "adapter.example",
    "https://user:word@adapter.example/",
    "https://adapter.example/?a=1",
    "https://adapter.example/#a",
    "http://8.8.8.8/",
    "http://[2606:4700:4700::1111]/",
    "",
  ])("is not %s", (url) => {
    expect(() => engine(url)).toThrow(RangeError);
  });

  test.each(["https://8.8.8.8/", "https://adapter.example/v1", "http://10.0.0.7:8080", "http://localhost:8080/"])(
    "may be %s",
    (url) => {
      expect(() => engine(url)).not.toThrow();
    },
  );

  test("by http it is a host of private addresses only", async () => {
    const publicly = async () => [
      { address: "127.0.0.1", family: 4 },
      { address: "8.8.8.8", family: 4 },
    ];
    let visits = 0;
    await using server = await startServer((_request, response) => {
      visits += 1;
      answer(response, 200, good);
    });
    const url = server.url.replace("127.0.0.1", "adapter.example");
    const privately = async () => [{ address: "127.0.0.1", family: 4 }];
    await engine(url, { resolve: privately }).check(await checkOf(), never);
    expect(visits).toBe(1);
    const error = await unavailable(engine(url, { resolve: publicly }).check(await checkOf(), never));
    expect(error).toMatchObject({ reason: "unreachable", cause: { message: expect.stringContaining("https") } });
    expect(visits).toBe(1);
  });

  test.each(["", "two words", "line\nbreak", "clé"])("its key is not %j, which the error does not repeat", (key) => {
    expect(() => engine("https://adapter.example/", { key })).toThrow(RangeError);
    if (key) expect(() => engine("https://adapter.example/", { key })).not.toThrow(key);
  });
});
