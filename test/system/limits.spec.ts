import { readFileSync } from "node:fs";
import { type Runtime, systemRuntime } from "@rubrica/runtime";
import {
  rubricaClient,
  sampleDrawing,
  samplePdf,
  sampleSigner,
  startServiceProcess,
  temporaryFolder,
} from "@rubrica/test-kit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sendHalf } from "../support/half-sent.ts";
import { serviceInProcess, type TestService } from "../support/service.ts";

const tokenOf = (link = "") => link.replace(/^.*\/s\//, "");

/** Unset: as the service is by default. */
const BY_DEFAULT = { RATE_LIMIT_PER_MINUTE: "", RATE_LIMIT_PER_LINK: "", RATE_LIMIT_PER_ADDRESS: "" };

describe("whoever may not ask is answered before the body is read", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await serviceInProcess();
  });
  afterAll(() => service[Symbol.asyncDispose]());

  test.each([
    ["a photo for a link that there is not", "/api/signing/nobody/photos/selfie", "image/jpeg", 404],
    ["a signature for a link that there is not", "/api/signing/nobody/sign", "application/json", 404],
    ["a rejection by a link that there is not", "/api/signing/nobody/reject", "application/json", 404],
    ["a document without a key", "/api/v2/documentSet", "application/json", 401],
    ["a legacy document without a key", "/api/documentSet", "application/json", 401],
    ["a bulk call without a key", "/api/sendCargaMasiva", "application/json", 401],
    ["anything to an address that there is not", "/nowhere", "application/json", 404],
    ["anything by a method that there is not", "/verify", "application/json", 405],
  ])("%s", async (_what, path, type, status) => {
    const half = { headers: { "content-type": type }, announcedBytes: 900_000, sentBytes: 100_000 };
    using request = await sendHalf(service.url, path, half);
    expect(await request.status()).toBe(status);
  });
});

/** A minute of the limits takes as long as a test may: however slow the machine is, all requests come within one. */
const longMinutes = (): Runtime => {
  const runtime = systemRuntime();
  return { ...runtime, clock: { ...runtime.clock, monotonicMs: () => runtime.clock.monotonicMs() / 10 } };
};

test("by default, a key, a link and an address have their limits, and none takes from another", async () => {
  await using service = await serviceInProcess({ environment: BY_DEFAULT, runtime: longMinutes() });
  const { client } = service;
  const { urls } = await client.requestDocument(await samplePdf(), [sampleSigner(1), sampleSigner(2)]);
  const [one = "", two = ""] = urls.map(({ link }) => tokenOf(link));
  /** How many of so many requests are answered 429. */
  const refusedOf = async (count: number, ask: () => Promise<{ status: number }>): Promise<number> => {
    let refused = 0;
    for (let request = 0; request < count; request++) if ((await ask()).status === 429) refused += 1;
    return refused;
  };
  const open = (path: string, method = "GET") => fetch(new URL(path, service.url), { method });

  expect(await refusedOf(130, () => open("/verify"))).toBe(10);
  expect(await refusedOf(5, () => open("/nowhere", "POST"))).toBe(5);
  expect(await refusedOf(5, () => open("/api/signing/nobody"))).toBe(5);
  // Each page's view and each call of the page counts.
  expect(await refusedOf(60, () => open(`/s/${one}`))).toBe(0);
  expect(await refusedOf(70, () => open(`/api/signing/${one}`))).toBe(10);
  expect(await refusedOf(35, () => open(`/api/signing/${two}/opened`, "POST"))).toBe(5);
  expect(await refusedOf(605, () => client.send("GET", "/api/v2/signatureStatus/none"))).toBe(6);
  expect(await refusedOf(200, () => open("/livez"))).toBe(0);
});

const MEGABYTE = 1_048_576;
/**
 * What so many bodies without a key may hold at most, and twice as much for what the process does beside it, with what
 * it has not collected yet. What is sent is 1,700 MB.
 */
const MOST_GROWTH = 3 * 96 * MEGABYTE;

/** Of the process, in bytes. */
const residentBytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1_024;

test.skipIf(process.platform !== "linux")(
  "sixty half-sent photos by one link, by sixty links and by links that there are not hold no memory, and others go on",
  async () => {
    using folder = temporaryFolder();
    await using service = await startServiceProcess({ dataDir: folder.path });
    const client = rubricaClient({ url: service.url, apiKey: service.apiKey });
    const photos = { request_photos: true, validate_photos: false };
    const pdf = await samplePdf();
    const signers = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => sampleSigner(from + index));
    const tokens: string[] = [];
    for (const from of [1, 21, 41, 61]) {
      const { urls } = await client.requestDocument(pdf, signers(from, 16), photos);
      tokens.push(...urls.map(({ link }) => tokenOf(link)));
    }
    const [own = "", ...others] = tokens;
    const half = { headers: { "content-type": "image/jpeg" }, announcedBytes: 10 * MEGABYTE, sentBytes: 9 * MEGABYTE };
    const pathOf = (token: string) => `/api/signing/${token}/photos/selfie`;
    const before = residentBytes(service.pid);
    using sent = new DisposableStack();
    const taken: Promise<void>[] = [];
    for (const token of [...others, ...others.map(() => others[0] ?? ""), ...others.map(() => "nobody")])
      taken.push(sent.use(await sendHalf(service.url, pathOf(token), half)).taken);

    const asked = await client.requestDocument(pdf, [sampleSigner(90)]);
    expect(asked.urls).toHaveLength(1);
    const photo = Buffer.from(sampleDrawing.replace(/^.*,/, ""), "base64");
    const send = () => client.send("POST", pathOf(own), photo, { "content-type": "image/png" });
    // Full of what is still coming, at first; then what has stalled makes room.
    await expect.poll(async () => (await send()).status, { interval: 500 }).toBe(200);
    const growthAfterOne = async () => {
      await send();
      return residentBytes(service.pid) - before;
    };
    await Promise.all(taken);
    // What was thrown away may not be collected yet; what is held stays.
    await expect.poll(growthAfterOne).toBeLessThan(MOST_GROWTH);
  },
);
