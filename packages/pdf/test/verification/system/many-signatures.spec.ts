import { createHash } from "node:crypto";
import { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { systemClock, systemRandom } from "@rubrica/runtime";
import { pdf, textAt } from "@rubrica/test-kit/pdf/fixtures";
import { verifyNow as verify } from "@rubrica/test-kit/pdf/tools";
import { bodyOf, startOf, streamOf, updated } from "@rubrica/test-kit/pdf/update";
import { describe, expect, test } from "vitest";
import { resultOf } from "../../../src/engine/outcome.ts";
import { runPdfTask } from "../../../src/engine/pdf-task.ts";
import { newAuthority, newSealCertificate } from "../../../src/sealing/authority.ts";
import { encodeCms, signDigest } from "../../../src/sealing/cms.ts";
import { fill } from "../../../src/sealing/fill.ts";
import { identityFrom } from "../../../src/sealing/identity.ts";
import { Digests } from "../../../src/verification/digests.ts";

/** What twice the pages and twice the signatures may cost more; that they are compared with each other would be four times. */
const MAX_RATIO = 2.5;
const ATTEMPTS = 4;

const authority = newAuthority(systemClock, systemRandom);
const { key, certificate } = newSealCertificate(authority, "http://localhost", systemClock, systemRandom);
const identity = identityFrom(key, certificate, [authority.certificate], null);
const roots = [authority.certificate];
const contentsBytes = 2_500;

const signed = async (bytes: Uint8Array): Promise<Uint8Array> => {
  const entries = { type: "Sig", subFilter: "ETSI.CAdES.detached", claimedAt: 0, reason: null } as const;
  const task = { kind: "prepareSeal", bytes, stamps: [], entries, contentsBytes } as const;
  const prepared = resultOf<"prepareSeal">(task, await runPdfTask(task));
  fill(prepared, encodeCms(await signDigest(identity, prepared.digest)));
  return prepared.bytes;
};

/** A document of some pages after some signatures, each in an update of its own. */
const documentOf = async (pages: number, signatures: number): Promise<Uint8Array> => {
  const content = Array.from({ length: 20 }, (_, line) => textAt(50, 800 - 20 * line, `line ${line}`)).join("\n");
  let bytes = pdf({ pages: Array.from({ length: pages }, () => ({ content })) });
  for (let number = 0; number < signatures; number += 1) bytes = await signed(bytes);
  return bytes;
};

/** Processor time of the cheapest of some runs. */
const costOf = (bytes: Uint8Array, runs: number): number => {
  let ms = Number.POSITIVE_INFINITY;
  for (let time = 0; time < runs; time += 1) {
    const before = process.cpuUsage();
    expect(verify(bytes, roots).untouched).toBe(true);
    const { user, system } = process.cpuUsage(before);
    ms = Math.min(ms, (user + system) / 1_000);
  }
  return ms;
};

test("twice as many pages with twice as many signatures cost twice as much", async () => {
  const [one, other] = [await documentOf(400, 24), await documentOf(800, 48)];
  // What is loaded and compiled at the first time.
  costOf(one, 2);
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 1; attempt <= ATTEMPTS && least > MAX_RATIO; attempt += 1) {
    least = Math.min(least, costOf(other, attempt) / costOf(one, attempt));
  }
  expect(least).toBeLessThanOrEqual(MAX_RATIO);
});

describe("the digests of what signatures cover", () => {
  const bytes = Buffer.from("0123456789".repeat(1_000_000));
  const plain = (gapStart: number, gapEnd: number, end: number) =>
    createHash("sha256").update(bytes.subarray(0, gapStart)).update(bytes.subarray(gapEnd, end)).digest();

  test("are right in any order", () => {
    const digests = new Digests(bytes);
    for (const [gapStart, gapEnd, end] of [
      [10, 20, 30],
      [40, 50, 60],
      [45, 55, 10_000_000],
      [5, 6, 7],
      [40, 50, 60],
    ] as const) {
      expect(digests.of({ gapStart, gapEnd, end }, "sha256")).toEqual(plain(gapStart, gapEnd, end));
    }
  });

  test("are given up where each is over all of the file", () => {
    const digests = new Digests(bytes);
    const all = () => {
      for (let gap = 0; gap < 100; gap += 1) {
        digests.of({ gapStart: gap, gapEnd: gap + 1, end: bytes.length }, "sha256");
      }
    };
    expect(all).toThrow("its signatures cover too much of it too often");
  });
});

describe("what came after each of many signatures", () => {
  const original = () => pdf({ pages: [{ content: textAt(50, 700, "one") }] });
  const page = { content: 5 };
  const changesAfter = (bytes: Uint8Array) => verify(bytes, roots).signatures.map((one) => one.changesAfter);

  test("is told of those before it, not of those after it", async () => {
    const twice = await signed(await signed(original()));
    const changed = updated(twice, { [page.content]: streamOf(textAt(50, 700, "two")) });
    const further = await signed(await signed(changed));
    expect(changesAfter(further)).toEqual(["other", "other", "signing", "none"]);
  });

  test("is told though it was changed back", async () => {
    const once = await signed(original());
    const changed = await signed(updated(once, { [page.content]: streamOf(textAt(50, 700, "two")) }));
    const back = await signed(updated(changed, { [page.content]: bodyOf(once, page.content) }));
    expect(changesAfter(await signed(back))).toEqual(["other", "other", "signing", "none"]);
  });

  test("is signing where an update says anew where all objects are, and goes on from the first section", async () => {
    const twice = await signed(await signed(original()));
    const places = [...PdfFile.open(twice).crossReference.locations].flatMap(([number, location]) =>
      location?.kind === "offset" ? [[number, location.offset] as const] : [],
    );
    const anew = updated(twice, {}, { offsets: Object.fromEntries(places), previous: startOf(original()) });
    expect(changesAfter(await signed(await signed(anew)))).toEqual(["signing", "signing", "signing", "none"]);
  });

  test("is told where the cross-reference was wrong when it was signed, and right again later", async () => {
    const wrong = updated(await signed(original()), {}, { previous: 0 });
    const mended = await signed(wrong);
    // Readers search for the objects of such a file, each in its own way.
    expect(changesAfter(wrong)).toEqual(["other"]);
    expect(changesAfter(mended)).toEqual(["signing", "none"]);
    const changed = updated(mended, { [page.content]: streamOf(textAt(50, 700, "two")) });
    expect(changesAfter(await signed(changed))).toEqual(["other", "other", "none"]);
  });
});
