import { BUSY_TEXT } from "@rubrica/http";
import {
  createFileFetcher,
  createOutbound,
  type FileFetcher,
  FileFetchRefused,
  TooManyFetches,
} from "@rubrica/outbound";
import { systemClock } from "@rubrica/runtime";
import { loopbackServer } from "@rubrica/test-kit/web-servers";
import { describe, expect, test } from "vitest";
import { ana, BAD, faults, LEGACY, pdf, pdfOf, requestedOf, requestOf } from "../requests.ts";
import { NOW_SECONDS, world } from "../world.ts";

const whole = Buffer.from(pdf());
const fetcherOf = (fetch: FileFetcher["fetch"]): FileFetcher => ({ fetch });
const failing = (error: Error) => fetcherOf(() => Promise.reject(error));

describe("the legacy answer", () => {
  test("has exactly the specified fields: none that tells of queues", async () => {
    const made = await world();
    const first = await made.send("POST", LEGACY, requestOf());
    const { status, body } = await made.send("POST", LEGACY, requestOf());
    const { tokens } = made.dependencies;
    expect([first.status, status]).toEqual([200, 200]);
    expect(body).toEqual({
      id_seguimiento: expect.any(String),
      created_at: NOW_SECONDS,
      urls: [
        {
          link: `https://sign.example/s/${tokens.make(body.id_seguimiento, 0)}`,
          name: "Ana Paz",
          dni: "30123456",
          contact: "5491122334455",
          method: "wpp",
          id_custom: expect.any(String),
        },
      ],
    });
    const events = await made.eventsOf(`document-${body.id_seguimiento}`);
    expect(events.map(({ type }) => type)).toEqual(["DocumentRequested", "SignerQueued"]);
    expect((await requestedOf(made, body.id_seguimiento)).data.channel).toBe("legacy");
  });

  test("is a 400 in the specified words", async () => {
    const made = await world();
    const { status, body } = await made.send("POST", LEGACY, {
      document: pdfOf(),
      datos_firmantes: [{ ...ana, dni: "1" }],
    });
    expect([status, body.error, body.details.length]).toEqual([400, BAD, 1]);
  });
});

test("wpp_business_name is no field of the legacy version: it is ignored, whatever it is", async () => {
  const made = await world();
  for (const wpp_business_name of ["ACME", 7]) {
    const { body } = await made.send("POST", LEGACY, requestOf({ wpp_business_name }));
    expect((await requestedOf(made, body.id_seguimiento)).personal.businessName).toBe("Rubrica");
  }
});

describe("the legacy document", () => {
  test("may be Base64", async () => {
    const { status } = await (await world()).send("POST", LEGACY, requestOf({ document: pdfOf() }));
    expect(status).toBe(200);
  });

  test("may be a URL, whose file is signed", async () => {
    const asked: unknown[] = [];
    const fetcher = fetcherOf(async (url, maxBytes) => {
      asked.push([url, maxBytes]);
      return whole;
    });
    const made = await world({ fetcher });
    const document = "HTTPS://files.example/lease.pdf?sig=%2F";
    const { status, body } = await made.send("POST", LEGACY, requestOf({ document }));
    expect([status, asked]).toEqual([200, [[document, 20_971_520]]]);
    const { data } = await requestedOf(made, body.id_seguimiento);
    const file = await made.dependencies.files.get(body.id_seguimiento, data.file?.sha256 ?? "");
    expect(file.equals(whole)).toBe(true);
  });

  test("is fetched from public addresses only", async () => {
    await using server = await loopbackServer((_request, response) => response.end(whole));
    const withUrl = (allowPrivate: boolean) =>
      world({ fetcher: createFileFetcher({ outbound: createOutbound({ clock: systemClock, allowPrivate }) }) });
    const request = requestOf({ document: server.url });
    const refused = await (await withUrl(false)).send("POST", LEGACY, request);
    const message = "could not be fetched: its host is unknown, not public or does not answer";
    expect([refused.status, refused.body, server.connections]).toEqual([400, faults(["document", message]), 0]);
    const taken = await (await withUrl(true)).send("POST", LEGACY, request);
    expect([taken.status, server.connections]).toEqual([200, 1]);
  });

  test.each<[string, FileFetcher, number, object]>([
    [
      "can't be fetched",
      failing(new FileFetchRefused("status", "could not be fetched: the answer was 404, not 200")),
      400,
      faults(["document", "could not be fetched: the answer was 404, not 200"]),
    ],
    [
      "is too large",
      failing(new FileFetchRefused("too_large", "is larger than 20971520 bytes")),
      413,
      { error: "The document is larger than 20971520 bytes" },
    ],
    ["comes when too many are being fetched", failing(new TooManyFetches()), 503, { error: BUSY_TEXT }],
    [
      "is no PDF",
      fetcherOf(async () => Buffer.from("<html>")),
      400,
      faults(["document", "The document is not a PDF."]),
    ],
  ])("is refused when it %s", async (_what, fetcher, status, body) => {
    const made = await world({ fetcher });
    const answer = await made.send("POST", LEGACY, requestOf({ document: "https://files.example/lease.pdf" }));
    expect([answer.status, answer.body]).toEqual([status, body]);
    expect(made.log()).not.toContain("files.example");
  });

  test.each([
    ["neither Base64 nor a URL of the web", "ftp://files.example/lease.pdf", "must be Base64 or an http or https URL"],
    ["a URL without end", `https://files.example/${"a".repeat(2_000)}`, "must have at most 2000 characters"],
  ])("is refused when it is %s", async (_what, document, message) => {
    const { status, body } = await (await world()).send("POST", LEGACY, requestOf({ document }));
    expect([status, body]).toEqual([400, faults(["document", message])]);
  });
});
