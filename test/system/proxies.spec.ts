import { samplePdf, sampleSigner } from "@rubrica/test-kit";
import { expect, test } from "vitest";
import { inspect } from "../support/inspection.ts";
import { serviceInProcess } from "../support/service.ts";

/** The addresses in the record of a signer who opens the page with each of these headers. */
const recorded = async (trustProxy: string, forwardedFor: readonly string[]): Promise<unknown[]> => {
  await using service = await serviceInProcess({ environment: { TRUST_PROXY: trustProxy } });
  const { client } = service;
  const { urls } = await client.requestDocument(await samplePdf(), [sampleSigner(1)]);
  const token = (urls[0]?.link ?? "").replace(/^.*\/s\//, "");
  for (const value of forwardedFor) {
    const opened = await client.send("POST", `/api/signing/${token}/opened`, {}, { "x-forwarded-for": value });
    expect(opened.status).toBe(200);
  }
  await using stores = await inspect(service.dataDir);
  const events = (await stores.events()).filter(({ type }) => type === "SigningPageOpened");
  return events.map(({ personal }) => personal && "ip" in personal && personal.ip);
};

test("the record names the address that the proxy saw, whatever the signer's own header says", async () => {
  const spoofed = ["198.51.100.9, 203.0.113.7", `${"signed before a notary, ".repeat(300)}2001:DB8::7`];
  expect(await recorded("1", spoofed)).toEqual(["203.0.113.7", "2001:db8::7"]);
});

test("what is no address is recorded as none, however long it is", async () => {
  expect(await recorded("1", ["signed before a notary", "9".repeat(9_000)])).toEqual([null, null]);
});

test("where no proxy is named, nobody's word is taken", async () => {
  expect(await recorded("false", ["203.0.113.7"])).toEqual(["127.0.0.1"]);
});
