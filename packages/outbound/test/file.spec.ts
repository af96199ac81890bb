import { systemClock } from "@rubrica/runtime";
import { ManualClock } from "@rubrica/runtime/testing";
import { loopbackServer } from "@rubrica/test-kit/web-servers";
import { describe, expect, test } from "vitest";
import { createFileFetcher, createOutbound, FileFetchRefused, TooManyFetches } from "../src/index.ts";

const fetcher = (allowPrivate = true) =>
  createFileFetcher({ outbound: createOutbound({ clock: systemClock, allowPrivate }) });
const refusalOf = async (file: Promise<Buffer>) => {
  const error = await file.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof FileFetchRefused ? [error.reason, error.message] : error;
};

describe("a file of a URL", () => {
  test("is what its server answers with", async () => {
    await using server = await loopbackServer((_request, response) => response.end("%PDF"));
    expect((await fetcher().fetch(server.url, 4)).toString()).toBe("%PDF");
  });

  test.each([
    [301, "redirected", "could not be fetched: redirects are not followed"],
    [307, "redirected", "could not be fetched: redirects are not followed"],
    [404, "status", "could not be fetched: the answer was 404, not 200"],
    [206, "status", "could not be fetched: the answer was 206, not 200"],
    [500, "status", "could not be fetched: the answer was 500, not 200"],
  ])("is refused when the answer is %d", async (status, reason, message) => {
    await using server = await loopbackServer((_request, response) =>
      response.writeHead(status, { location: "http://127.0.0.1/" }).end("secret"),
    );
    expect(await refusalOf(fetcher().fetch(server.url, 100))).toEqual([reason, message]);
    expect(server.connections).toBe(1);
  });

  test("is refused when it is larger than allowed", async () => {
    await using server = await loopbackServer((_request, response) => response.end("12345"));
    expect(await refusalOf(fetcher().fetch(server.url, 4))).toEqual(["too_large", "is larger than 4 bytes"]);
  });

  test("is refused in the same words, whether its host is private, unknown or silent", async () => {
    const server = await loopbackServer((_request, response) => response.end("secret"));
    const privately = await refusalOf(fetcher(false).fetch(server.url, 100));
    await server[Symbol.asyncDispose]();
    const words = ["unreachable", "could not be fetched: its host is unknown, not public or does not answer"];
    expect(privately).toEqual(words);
    expect(await refusalOf(fetcher().fetch(server.url, 100))).toEqual(words);
    const resolve = () => Promise.reject(new Error("ENOTFOUND"));
    const unknown = createFileFetcher({
      outbound: createOutbound({ clock: systemClock, allowPrivate: true, resolve }),
    });
    expect(await refusalOf(unknown.fetch("http://nobody.example/", 100))).toEqual(words);
  });

  test("is refused when its address is none", async () => {
    const words = ["bad_url", "must be an http or https URL without user name and password"];
    expect(await refusalOf(fetcher().fetch("http://a:b@example.com/", 100))).toEqual(words);
  });

  test("is refused when it takes too long", async () => {
    const clock = new ManualClock();
    const resolve = () => new Promise<never>(() => {});
    const slow = createFileFetcher({
      outbound: createOutbound({ clock, allowPrivate: true, resolve }),
      timeoutMs: 3_000,
    });
    const refusal = refusalOf(slow.fetch("http://slow.example/", 100));
    clock.advance(3_000);
    expect(await refusal).toEqual(["timed_out", "could not be fetched within 3 s"]);
  });
});

test("only so many files are fetched at once, and a place that was given up is free again", async () => {
  const clock = new ManualClock();
  const resolve = () => new Promise<never>(() => {});
  const outbound = createOutbound({ clock, allowPrivate: true, resolve });
  const busy = createFileFetcher({ outbound, maxConcurrent: 1, timeoutMs: 1_000 });
  const first = refusalOf(busy.fetch("http://slow.example/", 1));
  await expect(busy.fetch("http://slow.example/", 1)).rejects.toBeInstanceOf(TooManyFetches);
  clock.advance(1_000);
  expect(await first).toMatchObject(["timed_out", expect.any(String)]);
  const second = refusalOf(busy.fetch("http://slow.example/", 1));
  clock.advance(1_000);
  expect(await second).toMatchObject(["timed_out", expect.any(String)]);
});
