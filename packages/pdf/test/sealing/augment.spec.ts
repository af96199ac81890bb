import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, systemRandom } from "@rubrica/runtime";
import { impatient } from "@rubrica/test-kit/pdf/clocks";
import { pdf, stampOf } from "@rubrica/test-kit/pdf/fixtures";
import { has, hasPyHanko, output, pyHankoVerdicts, temporaryFile } from "@rubrica/test-kit/pdf/tools";
import { VirtualAuthority } from "@rubrica/test-kit/pdf/virtual-authority";
import { startWebServer, type WebServer } from "@rubrica/test-kit/pdf/web-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Augmented,
  CertificateRevoked,
  createPdfEngine,
  loadOrCreateSigningIdentity,
  type PdfEngine,
  type SigningIdentity,
  TimestampFailed,
} from "../../src/index.ts";

const pyHanko = hasPyHanko();
const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;
const YEAR_MS = 365.25 * DAY_MS;
/** All of it has passed: pyHanko judges the past by what it knows now. */
const START = Date.UTC(2011, 0, 3, 9);
/** pyHanko demands a timestamp within the signature, where ETSI EN 319 142-1 (6.3) takes a document timestamp as well. */
const UNTIMED = "AdESIndeterminate.SIG_CONSTRAINTS_FAILURE";
/** How long authorities take part in this, so that they end with none of it. */
const LONG = 60;
const pem = (bytes: Uint8Array): string =>
  temporaryFile(Buffer.from(new X509Certificate(bytes).toString()), "root.pem");

describe("a sealed document, in virtual time", () => {
  let now = START;
  const clock: Clock = { ...impatient(), now: () => now };
  /** Time goes on with what is asked of an authority, as on a clock of full seconds. */
  const ticking = () => {
    now += SECOND_MS;
    return now;
  };
  const folder = mkdtempSync(join(tmpdir(), "rubrica-augment-"));
  let engine: PdfEngine;
  let web: WebServer;
  let identity: SigningIdentity;
  let first: VirtualAuthority;
  let second: VirtualAuthority;
  let certificateSha256: string;

  beforeAll(async () => {
    engine = createPdfEngine({ clock, processes: 1 });
    web = await startWebServer();
    identity = await loadOrCreateSigningIdentity(folder, "http://localhost:3000", clock, systemRandom);
    certificateSha256 = identity.certificateSha256;
  });
  afterAll(async () => {
    await engine.close();
    await web.close();
    rmSync(folder, { recursive: true });
  });

  const restart = (name: string): void => {
    now = START;
    first = new VirtualAuthority(`${name}-first`, web, ticking, LONG);
    second = new VirtualAuthority(`${name}-second`, web, ticking, LONG);
    roll(0, first, second);
  };
  const roll = (generation: number, ...authorities: VirtualAuthority[]): void => {
    // Some come to be used before others.
    for (const authority of authorities) authority.roll(generation, { from: now - DAY_MS, to: now + 4 * YEAR_MS });
  };
  const to = (years: number): void => {
    now = START + years * YEAR_MS;
  };
  const urls = () => [first.url, second.url];
  const seal = (timestamped = true) =>
    engine.stampAndSeal(pdf(), [stampOf()], {
      identity,
      sealedAt: now,
      ...(timestamped ? { timestamps: { urls: urls() } } : {}),
    });
  const augment = (bytes: Uint8Array, kind: "complete" | "renew"): Promise<Augmented> =>
    engine.augment(bytes, { kind, certificateSha256, identity, timestamps: { urls: urls() } });
  const root = () => identity.issuers.at(-1) ?? new Uint8Array();

  const verified = (bytes: Uint8Array) =>
    engine.verify(bytes, [root()], "", { timestampRoots: [first.root, second.root] });

  /** What the authorities tell of revocation now: the last timestamp is judged by that, as nothing proves its time. */
  const current = (): string[] =>
    [first, second].flatMap((authority) => authority.lists()).map((list) => temporaryFile(list, "list.crl"));

  /** That it holds now to whoever has the file, the roots and what authorities tell now, and that nobody else touched it. */
  const expectValid = async (bytes: Uint8Array, ades = "AdESPassed.OK"): Promise<void> => {
    expect(await verified(bytes)).toMatchObject({ untouched: true });
    if (has("pdfsig")) expect(output("pdfsig", temporaryFile(bytes))).toContain("Signature is Valid");
    if (!pyHanko) return;
    const [verdict] = pyHankoVerdicts(
      bytes,
      "lta",
      [root(), first.root, second.root].map(pem),
      current(),
      now + DAY_MS / 24,
    );
    expect(verdict).toMatchObject({ intact: true, valid: true, modifications: "LTA_UPDATES", ades });
  };

  const expectAppended = (after: Uint8Array, before: Uint8Array): void => {
    expect(Buffer.from(after.subarray(0, before.length)).equals(before)).toBe(true);
    expect(after.length).toBeGreaterThan(before.length);
  };

  test("carried for 15 years by renewals, past revoked authorities, is valid at each step", async () => {
    restart("carried");
    const sealed = await seal();
    expect(sealed).toMatchObject({ level: "B-LTA" });
    expect((sealed.provenUntil ?? 0) / YEAR_MS).toBeCloseTo((START + 4 * YEAR_MS) / YEAR_MS, 4);
    await expectValid(sealed.bytes);
    let { bytes } = sealed;
    const renewed = async (years: number, endsAfter: number, by: string) => {
      to(years);
      await expectValid(bytes);
      const result = await augment(bytes, "renew");
      expectAppended(result.bytes, bytes);
      expect(result).toMatchObject({ level: "B-LTA", shortfall: null });
      expect(result.timestamp.authority).toContain(by);
      expect(result.provenUntil / YEAR_MS).toBeCloseTo((START + endsAfter * YEAR_MS) / YEAR_MS, 4);
      ({ bytes } = result);
      await expectValid(bytes);
    };
    const formerIntermediate = first.intermediate;
    to(3.5);
    roll(1, first, second);
    await renewed(3.75, 7.5, "first TSA 1");
    // What proved it before the renewal is revoked: that is too late to matter.
    to(5);
    first.revokeIntermediate(formerIntermediate);
    await expectValid(bytes);
    to(7);
    roll(2, first, second);
    // What the first would prove it with from now on is revoked: the second is asked.
    first.revokeIntermediate();
    await renewed(7.25, 11, "second TSA 2");
    to(10.5);
    roll(3, second);
    await renewed(10.75, 14.5, "second TSA 3");
    to(14.25);
    roll(4, second);
    await renewed(14.3, 18.25, "second TSA 4");
    to(15);
    await expectValid(bytes);
  });

  test.skipIf(!pyHanko)(
    "that is not renewed is proven to nobody once its timestamp's certificate has ended",
    async () => {
      restart("left");
      const { bytes } = await seal();
      to(3.9);
      await expectValid(bytes);
      to(4.1);
      await expect(expectValid(bytes)).rejects.toThrow("to match object");
    },
  );

  test("sealed without a timestamp is completed, without touching what was given out", async () => {
    restart("late");
    const sealed = await seal(false);
    expect(sealed).toMatchObject({ level: "B-B", provenUntil: null });
    now += DAY_MS;
    const completed = await augment(sealed.bytes, "complete");
    expectAppended(completed.bytes, sealed.bytes);
    expect(completed).toMatchObject({ level: "B-LTA", shortfall: null, timestamp: { at: expect.any(Number) } });
    await expectValid(completed.bytes, UNTIMED);
    to(3.5);
    roll(1, first);
    const renewed = await augment(completed.bytes, "renew");
    to(6);
    await expectValid(renewed.bytes, UNTIMED);
  });

  test("sealed while nobody told of revocation is completed once somebody does", async () => {
    restart("silent");
    const pages = [...web.pages].filter(([path]) => /\.(?:crl|ocsp)$/u.test(path));
    for (const [path] of pages) web.pages.delete(path);
    const sealed = await seal();
    expect(sealed).toMatchObject({
      level: "B-T",
      isShortfallTemporary: true,
      provenUntil: null,
      shortfall: expect.stringContaining("revocation data"),
    });
    const bare = await seal(false);
    const timestamped = await augment(bare.bytes, "complete");
    expect(timestamped).toMatchObject({ level: "B-T", isShortfallTemporary: true });
    for (const [path, page] of pages) web.pages.set(path, page);
    now += DAY_MS;
    for (const [{ bytes }, ades] of [
      [sealed, "AdESPassed.OK"],
      [timestamped, UNTIMED],
    ] as const) {
      const completed = await augment(bytes, "complete");
      expectAppended(completed.bytes, bytes);
      expect(completed).toMatchObject({ level: "B-LTA", shortfall: null });
      await expectValid(completed.bytes, ades);
    }
  });

  test("is not augmented where no authority answers, or what proves it is revoked", async () => {
    restart("failing");
    const sealed = await seal();
    first.revokeIntermediate();
    await expect(augment(sealed.bytes, "renew")).rejects.toBeInstanceOf(CertificateRevoked);
    const bare = await seal(false);
    second.revokeIntermediate();
    await expect(augment(bare.bytes, "complete")).rejects.toBeInstanceOf(TimestampFailed);
  });

  test("that somebody else added to, after a renewal, is not untouched", async () => {
    restart("added");
    const sealed = await seal();
    const { bytes } = await augment(sealed.bytes, "renew");
    const changed = Buffer.concat([bytes, Buffer.from("\n% a note\n")]);
    expect(await verified(changed)).toMatchObject({ untouched: false });
    // A renewal covers what somebody added before it, and can't make it the service's own.
    const noted = await augment(Buffer.concat([sealed.bytes, Buffer.from("\n% a note\n")]), "renew");
    expect(await verified(noted.bytes)).toMatchObject({ untouched: false });
  });
});
