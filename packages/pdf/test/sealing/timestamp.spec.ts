import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, systemClock, systemRandom } from "@rubrica/runtime";
import { impatient, overdue } from "@rubrica/test-kit/pdf/clocks";
import { pdf, stampOf } from "@rubrica/test-kit/pdf/fixtures";
import { startTimestampServer, type TimestampServer } from "@rubrica/test-kit/pdf/timestamp-server";
import { has, hasPyHanko, output, pyHankoVerdicts, temporaryFile } from "@rubrica/test-kit/pdf/tools";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  childrenOf,
  der,
  objectIdentifier,
  readDer,
  sequence,
  smallInteger,
  tag,
  unsignedInteger,
} from "../../src/asn1/der.ts";
import { oid } from "../../src/asn1/oids.ts";
import {
  createPdfEngine,
  loadOrCreateSigningIdentity,
  type PdfEngine,
  type SigningIdentity,
  TimestampFailed,
} from "../../src/index.ts";
import { Authorities } from "../../src/sealing/authorities.ts";
import { readTimestamp } from "../../src/sealing/timestamp.ts";

const tools = has("openssl") && has("pdfsig");
const pyHanko = hasPyHanko();

describe.skipIf(!tools)("with a timestamp server", () => {
  let engine: PdfEngine;
  let server: TimestampServer;
  let identity: SigningIdentity;
  let roots: string[];
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "rubrica-tsa-"));
    engine = createPdfEngine({ clock: impatient(), processes: 1 });
    server = await startTimestampServer(folder);
    identity = await loadOrCreateSigningIdentity(folder, "http://localhost:3000", systemClock, systemRandom);
    roots = [server.rootPath, join(folder, "pki", "authority", "certificate.pem")];
  });
  beforeEach(() => {
    server.requests = 0;
    server.publishes = true;
    server.answer = server.timestamp;
  });
  afterAll(async () => {
    await engine.close();
    await server.close();
    rmSync(folder, { recursive: true });
  });

  const sealed = (level: "B-T" | "B-LT" | "B-LTA") =>
    engine.stampAndSeal(pdf(), [stampOf()], {
      identity,
      sealedAt: systemClock.now(),
      timestamps: { urls: [server.url], level },
    });

  test.each(["B-T", "B-LT", "B-LTA"] as const)("a seal reaches %s and is valid", async (level) => {
    const result = await sealed(level);
    const timestamp = { at: expect.any(Number), authority: expect.stringContaining("CN=") };
    expect(result).toMatchObject({ level, shortfall: null, timestamp });
    const report = output("pdfsig", temporaryFile(result.bytes));
    // pdfsig knows no document timestamps; pyHanko, below, does.
    expect(report.match(/Signature is Valid/g)).toHaveLength(1);
    if (level !== "B-LT") expect(report).toContain("Total document signed");
    expect(output("qpdf", "--check", temporaryFile(result.bytes))).toContain("No syntax");
  });

  test.skipIf(!pyHanko).each(["B-LT", "B-LTA"] as const)(
    "a strict validator concludes on %s with what is in the file and the roots alone",
    async (level) => {
      const { bytes } = await sealed(level);
      const [verdict] = pyHankoVerdicts(bytes, "lta", roots);
      expect(verdict).toMatchObject({ bottomLine: true, timestamped: true, modifications: "LTA_UPDATES" });
      if (level === "B-LTA") expect(verdict?.ades).toBe("AdESPassed.OK");
      expect(pyHankoVerdicts(bytes, "lta", roots.slice(0, 1))).toMatchObject([{ bottomLine: false }]);
    },
  );

  test("a server that fails at first is asked again", async () => {
    server.answerNext({ status: 500, body: Buffer.from("busy") });
    expect((await sealed("B-T")).level).toBe("B-T");
    expect(server.requests).toBe(2);
  });

  test("a server that fails for good, or answers nonsense, gives no seal at all", async () => {
    const nonsense = [
      { status: 500, body: Buffer.from("busy") },
      { status: 200, body: Buffer.from("not a timestamp") },
      { status: 200, body: Buffer.from("30053003020102", "hex") },
    ];
    server.answerNext(...nonsense);
    await expect(sealed("B-LTA")).rejects.toBeInstanceOf(TimestampFailed);
    expect(server.requests).toBe(nonsense.length);
  });

  describe("and another one", () => {
    let other: TimestampServer;
    let place: string;
    beforeAll(async () => {
      place = mkdtempSync(join(tmpdir(), "rubrica-tsa-"));
      other = await startTimestampServer(place, { name: "Other" });
    });
    beforeEach(() => {
      other.requests = 0;
    });
    afterAll(async () => {
      await other.close();
      rmSync(place, { recursive: true });
    });
    const sealedByEither = () =>
      engine.stampAndSeal(pdf(), [stampOf()], {
        identity,
        sealedAt: systemClock.now(),
        timestamps: { urls: [server.url, other.url] },
      });

    test("the first is asked as long as it answers", async () => {
      expect((await sealedByEither()).level).toBe("B-LTA");
      expect([server.requests, other.requests]).toEqual([2, 0]);
    });

    test("where the first fails, the other's timestamps are taken, and it is not asked again meanwhile", async () => {
      server.answer = () => ({ status: 503, body: Buffer.from("closed") });
      expect(await sealedByEither()).toMatchObject({ level: "B-LTA", shortfall: null });
      expect([server.requests, other.requests]).toEqual([1, 2]);
    });

    test("where the first one's certificate is revoked, the other's timestamps are taken", async () => {
      server.authority.revoke("Test TSA");
      try {
        const result = await sealedByEither();
        expect(result).toMatchObject({ level: "B-LTA", shortfall: null });
        expect([server.requests, other.requests]).toEqual([1, 2]);
        if (!pyHanko) return;
        const [verdict] = pyHankoVerdicts(result.bytes, "lta", [other.rootPath, ...roots.slice(1)]);
        expect(verdict).toMatchObject({ bottomLine: true, ades: "AdESPassed.OK" });
      } finally {
        server.authority.restore("Test TSA");
      }
    });

    test("where both fail, nothing is sealed", async () => {
      server.answer = () => ({ status: 503, body: Buffer.from("closed") });
      other.answerNext(...[1, 2, 3].map(() => ({ status: 500, body: Buffer.from("busy") })));
      await expect(sealedByEither()).rejects.toBeInstanceOf(TimestampFailed);
      expect([server.requests, other.requests]).toEqual([3, 3]);
    });
  });

  const digest = createHash("sha256").update("this").digest();
  const asked = (clock: Clock = impatient()) =>
    new Authorities([server.url], { clock, random: systemRandom }, false).timestamp(digest);
  /** Why the last of the attempts failed. */
  const failureOf = async (clock?: Clock): Promise<string> => {
    const error = await asked(clock).then(
      () => new Error("it was taken"),
      (failure: unknown) => failure,
    );
    expect(error).toBeInstanceOf(TimestampFailed);
    return String((error as TimestampFailed).cause);
  };

  test.each([
    ["with another nonce", { nonce: unsignedInteger(Buffer.alloc(8, 1)) }, "answers another request"],
    ["without a nonce", { nonce: Buffer.alloc(0) }, "answers another request"],
    ["over something else", { imprint: imprintOf(Buffer.alloc(32, 1)) }, "over something else"],
    ["without certificates", { certReq: Buffer.alloc(0) }, "the signer's certificate is not within"],
    ["that is none, but a rejection", { imprint: imprintOf(Buffer.alloc(20), oid.sha1) }, "refused"],
  ] as const)("a timestamp %s is not taken, three times over", async (_what, changes, why) => {
    server.answer = (query) => server.timestamp(changed(query, changes));
    expect(await failureOf()).toContain(why);
    expect(server.requests).toBe(3);
  });

  test.each([
    ["fails for good", { status: 500, body: Buffer.from("busy") }, "answered 500"],
    ["answers more than a timestamp can be", { status: 200, body: Buffer.alloc(10_000_000) }, "larger than 100000"],
  ])("a server that %s is asked three times", async (_what, answer, why) => {
    server.answer = () => answer;
    expect(await failureOf()).toContain(why);
    expect(server.requests).toBe(3);
  });

  test("a server that takes too long is given up, and asked again", async () => {
    const clock = overdue();
    server.answer = () => {
      clock.runOut();
      return new Promise(() => undefined);
    };
    expect(await failureOf(clock)).toContain("took more than 10000 ms");
    expect(server.requests).toBe(3);
  });

  test.each([
    ["behind", -2],
    ["ahead", 2],
  ])("a timestamp of another time than this machine's, which is %s, is not taken", async (_which, days) => {
    expect(await failureOf(impatient(days * 24 * 60 * 60 * 1_000))).toContain(
      "the timestamp's time is not that of this machine",
    );
  });

  test("a timestamp that validators would not take is not taken", async () => {
    server.answer = (query) => server.timestamp(query, ["-sha1"]);
    expect(await failureOf()).toContain("signed over SHA-1");
    const former = mkdtempSync(join(tmpdir(), "rubrica-tsa-"));
    const expired = await startTimestampServer(former, { validDays: -1 });
    server.answer = (query) => expired.timestamp(query);
    expect(await failureOf()).toContain("has expired");
    await expired.close();
    rmSync(former, { recursive: true });
  });

  test("what a server adds to its timestamp unsigned is left out", async () => {
    server.answer = (query) => {
      const [status, token] = childrenOf(readDer(server.timestamp(query)));
      const [type, wrapped] = childrenOf(token ?? readDer(Buffer.alloc(0)));
      const [signedData] = childrenOf(wrapped ?? readDer(Buffer.alloc(0)));
      const [, digests, content, certificates, signers] = childrenOf(signedData ?? readDer(Buffer.alloc(0)));
      const [signer] = childrenOf(signers ?? readDer(Buffer.alloc(0)));
      const unsigned = der(tag.constructed(1), sequence(objectIdentifier(oid.data), der(tag.set, der(tag.null))));
      const parts = [digests, content, certificates].map((part) => part?.encoded ?? Buffer.alloc(0));
      const rewritten = sequence(
        // A version, a revocation list and an unsigned attribute that it need not have.
        smallInteger(5),
        ...parts,
        der(tag.constructed(1), server.authority.crl()),
        der(tag.set, sequence(signer?.content ?? Buffer.alloc(0), unsigned)),
      );
      const whole = sequence(type?.encoded ?? Buffer.alloc(0), der(tag.constructed(0), rewritten));
      return sequence(status?.encoded ?? Buffer.alloc(0), whole);
    };
    const { signedData } = await asked();
    expect(signedData.unsigned.size).toBe(0);
    expect((await sealed("B-LTA")).level).toBe("B-LTA");
  });

  test("the server's certificates are asked for", async () => {
    const texts: string[] = [];
    server.answer = (query) => {
      texts.push(output("openssl", "ts", "-query", "-in", temporaryFile(query, "query.tsq"), "-text"));
      return server.timestamp(query);
    };
    await asked();
    expect(texts).toEqual([expect.stringContaining("Certificate required: yes")]);
  });

  test("a token is read for what it was made over, and for nothing else", async () => {
    const { token } = await asked();
    expect(Math.abs(readTimestamp(token, digest).at - systemClock.now())).toBeLessThan(60_000);
    const other = createHash("sha256").update("that").digest();
    expect(() => readTimestamp(token, other)).toThrow("over something else");
  });

  test("without revocation data the level stays B-T, and says why", async () => {
    server.publishes = false;
    const result = await sealed("B-LTA");
    expect(result.level).toBe("B-T");
    expect(result.shortfall).toContain("no revocation data for CN=Test TSA (CRL: 127.0.0.1:");
    expect(output("pdfsig", temporaryFile(result.bytes))).toContain("Signature is Valid");
  });
});

const imprintOf = (hash: Buffer, algorithm: string = oid.sha256): Buffer =>
  sequence(sequence(objectIdentifier(algorithm), der(tag.null)), der(tag.octetString, hash));

/** A query (RFC 3161, 2.4.1) with some of its parts in the stead of its own. */
const changed = (query: Buffer, parts: { imprint?: Buffer; nonce?: Buffer; certReq?: Buffer }): Buffer => {
  const [version, imprint, nonce, certReq] = childrenOf(readDer(query)).map(({ encoded }) => encoded);
  const whole = { imprint, nonce, certReq, ...parts };
  return sequence(...[version, whole.imprint, whole.nonce, whole.certReq].filter((part) => part !== undefined));
};
