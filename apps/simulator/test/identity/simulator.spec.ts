import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { IdentityPerson, PhotoKind } from "@rubrica/identity";
import { mrzAgrees } from "@rubrica/identity/mrz";
import { createImages } from "@rubrica/images";
import { systemClock } from "@rubrica/runtime";
import { testRuntime } from "@rubrica/runtime/testing";
import { createRowCipher } from "@rubrica/secrets";
import { checkOf, maria, TODAY } from "@rubrica/test-kit/identity/contract";
import { blank, picture } from "@rubrica/test-kit/identity/pictures";
import sharp from "sharp";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { openIdentitySimulator } from "../../src/identity/simulator.ts";
import { SimulatorStore } from "../../src/identity/store.ts";

const KEY = Buffer.alloc(32, 1);

const images = createImages({ clock: systemClock });
afterAll(() => images.close());

const open = ({ path = ":memory:", keys = [KEY], seed = 1 } = {}) => {
  const simulator = openIdentitySimulator({ path, keys, images, runtime: testRuntime(seed) });
  cleanups.push(() => simulator.close());
  return simulator;
};

const openStore = () => {
  const store = new SimulatorStore(
    ":memory:",
    createRowCipher({ keys: [KEY], purpose: "identity", random: testRuntime().random }),
  );
  cleanups.push(() => store.close());
  return store;
};

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "rubrica-identity-"));
  cleanups.push(() => rmSync(folder, { recursive: true }));
  return folder;
};

const verdictWith = async (photos: Partial<Record<PhotoKind, Buffer>>) => {
  const given = Object.entries(photos).map(([kind, jpeg]) => [kind, { attempt: 1, jpeg }]);
  return open().check(await checkOf({}, Object.fromEntries(given)));
};

describe("what a glance tells", () => {
  test.each(["selfie", "idFront", "idBack"] as const)("%s: too small, empty, and no picture at all", async (kind) => {
    const bad: [string, Buffer][] = [
      ["too_small", await picture(4, { width: 199, height: 600 })],
      ["nothing_to_see", await blank("#ffffff")],
      ["unreadable", Buffer.from("no picture")],
    ];
    for (const [reason, jpeg] of bad) {
      const verdict = await verdictWith({ [kind]: jpeg });
      expect(verdict[kind]).toEqual({ result: "rejected", reason });
      const others = (["selfie", "idFront", "idBack"] as const).filter((other) => other !== kind);
      expect(others.map((other) => verdict[other].result)).toEqual(["approved", "approved"]);
      expect(verdict.rejection).toBeNull();
    }
  });

  test("no side below 200 pixels is large enough", async () => {
    const verdict = await verdictWith({ selfie: await picture(4, { width: 200, height: 600 }) });
    expect(verdict.selfie.result).toBe("approved");
  });

  test("the front again is no back, also when it was compressed again; no zone is read of it", async () => {
    for (const idBack of [await picture(2), await picture(2, { quality: 60 })]) {
      const verdict = await verdictWith({ idBack });
      expect(verdict.idBack).toEqual({ result: "rejected", reason: "same_as_front" });
      expect(verdict).toMatchObject({ idFront: { result: "approved" }, mrz: null, rejection: null });
    }
  });

  test("a selfie that is the document's picture is no living face", async () => {
    for (const selfie of [await picture(2), await picture(2, { quality: 60 })]) {
      expect(await verdictWith({ selfie })).toMatchObject({
        selfie: { result: "approved" },
        rejection: "face_not_live",
      });
    }
  });

  test("two pictures that differ in a corner are two", async () => {
    const corner = { input: await picture(9, { width: 100, height: 100 }), left: 0, top: 0 };
    const idBack = await sharp(await picture(2))
      .composite([corner])
      .jpeg()
      .toBuffer();
    expect(await verdictWith({ idBack })).toMatchObject({ idBack: { result: "approved" } });
  });

  test("two empty pictures are two bad ones, and say nothing of the signer", async () => {
    const empty = await blank("#000000");
    expect(await verdictWith({ selfie: empty, idFront: empty })).toMatchObject({
      selfie: { reason: "nothing_to_see" },
      idFront: { reason: "nothing_to_see" },
      rejection: null,
    });
  });
});

test.each<[string, string, string | null]>([
  ["María José Fernández", "30123456", "AR"],
  ["María José Fernández", "4123456", "AR"],
  ["María José Fernández", "27301234565", "AR"],
  ["Martín Núñez Sosa", "12345672", "UY"],
  ["Camila Soto", "125319092", "CL"],
  ["Camila Soto", "9876500K", "CL"],
  ["Guadalupe Hernández García", "HEGG560427MVZRRL04", "MX"],
  ["Guadalupe Hernández García", "HEGG560427AB1", "MX"],
  ["Guadalupe Hernández García", "MAB9307148T4", "MX"],
  ["Carmen Española Española", "99999999R", "ES"],
  ["Jürgen Müller", "L01X00T47", "DE"],
  ["Juana de la Cruz", "X1B", null],
  ["Lech Wałęsa", "1234567890123456789012", "PL"],
  ["李娜", "123456", "CN"],
  ["Иван Петров", "123456", null],
  ["Signer 12", "30000012", "AR"],
  ["Papandropoulouspapandropoulouspapandropoulou Eleni", "123456", null],
  ["Eleni Maria Papandropoulouspapandropoulouspapandropoulou", "123456", null],
  ["Ana María de los Ángeles Montenegro Irigoyen y Bustamante", "30123456", "AR"],
])("the zone that is made up for %s, %s (%s), agrees with them", async (name, idNumber, idNumberCountry) => {
  const person: IdentityPerson = { name, idNumber, idNumberCountry };
  const { mrz } = await open().check(await checkOf({ person }));
  expect(mrzAgrees(mrz ?? [], person, TODAY)).toEqual({ result: "approved", reason: null });
  expect(mrzAgrees(mrz ?? [], { ...person, name: "Otra Persona" }, TODAY).result).toBe("rejected");
});

describe("evidence", () => {
  test("tells each check with its time, its verdict and the hashes of the photos as they came", async () => {
    const simulator = open();
    const check = await checkOf();
    const verdict = await simulator.check(check);
    const [audit] = await simulator.evidence(check.subject);
    const told = (kind: PhotoKind) => ({
      attempt: 1,
      sha256: createHash("sha256").update(check.photos[kind].jpeg).digest("hex"),
    });
    expect(JSON.parse(Buffer.from(audit?.bytes ?? []).toString("utf8"))).toEqual({
      provider: "simulated",
      subject: check.subject,
      checks: [
        {
          checkId: "check-1",
          checkedAt: "2026-01-01T00:00:00.000Z",
          photos: { selfie: told("selfie"), idFront: told("idFront"), idBack: told("idBack") },
          verdict,
        },
      ],
    });
  });

  test("has reduced photos", async () => {
    const simulator = open();
    const selfie = { attempt: 3, jpeg: await picture(4, { width: 1_200, height: 1_600 }) };
    await simulator.check(await checkOf({}, { selfie }));
    const files = await simulator.evidence("document-1/signer-1");
    const kept = await sharp(files.find(({ name }) => name === "selfie-3.jpg")?.bytes).metadata();
    expect(kept).toMatchObject({ format: "jpeg", width: 600, height: 800 });
  });

  test("has one photo for each attempt, the newest where there are many", async () => {
    const store = openStore();
    const verdict = await open().check(await checkOf());
    const photos = { selfie: { attempt: 1, sha256: "" }, idFront: { attempt: 1, sha256: "" } };
    for (let attempt = 1; attempt <= 20; attempt++) {
      const record = { checkId: `check-${attempt}`, checkedAt: "", verdict };
      store.keep("subject", { ...record, photos: { ...photos, idBack: { attempt, sha256: "" } } }, [
        { kind: "selfie", attempt: 1, jpeg: Buffer.from(`selfie at ${attempt}`) },
        { kind: "idBack", attempt, jpeg: Buffer.from("back") },
      ]);
    }
    const kept = store.photosOf("subject").map(({ kind, attempt, jpeg }) => `${kind} ${attempt} ${jpeg}`);
    expect(kept).toHaveLength(19);
    expect(kept).toEqual(expect.arrayContaining(["selfie 1 selfie at 20", "idBack 20 back", "idBack 3 back"]));
    expect(kept).not.toContain("idBack 2 back");
  });

  test("of two answers to one check, the first one stays", async () => {
    const store = openStore();
    const verdict = await open().check(await checkOf());
    const none = { attempt: 1, sha256: "" };
    const photos = { selfie: none, idFront: none, idBack: none };
    const first = { checkId: "check", checkedAt: "first", photos, verdict };
    expect(store.keep("subject", first, [])).toEqual(first);
    expect(store.keep("subject", { ...first, checkedAt: "second" }, [])).toEqual(first);
    expect(store.checksOf("subject")).toEqual([first]);
  });

  test("of the oldest checks goes when there are more than a thousand", async () => {
    const store = openStore();
    const verdict = await open().check(await checkOf());
    const none = { attempt: 1, sha256: "" };
    for (let number = 0; number <= 1_000; number++) {
      const photos = { selfie: none, idFront: none, idBack: none };
      const record = { checkId: `check-${number}`, checkedAt: "", verdict, photos };
      store.keep(`subject-${number}`, record, [{ kind: "selfie", attempt: 1, jpeg: Buffer.from("selfie") }]);
    }
    const left = ["subject-0", "subject-1", "subject-1000"].map((subject) => [
      store.checksOf(subject).length,
      store.photosOf(subject).length,
    ]);
    expect(left).toEqual([
      [0, 0],
      [1, 1],
      [1, 1],
    ]);
  });
});

describe("on disk", () => {
  test("checks and evidence are the same after a restart, also with another SECRET and the former one", async () => {
    const path = join(temporaryFolder(), "identity.sqlite");
    const before = open({ path });
    const check = await checkOf();
    const verdict = await before.check(check);
    const files = await before.evidence(check.subject);
    before.close();
    cleanups.pop();

    const after = open({ path, keys: [Buffer.alloc(32, 2), KEY], seed: 2 });
    const other = { ...check, photos: { ...check.photos, selfie: { attempt: 1, jpeg: await blank("#000000") } } };
    expect(await after.check(other)).toEqual(verdict);
    expect(await after.evidence(check.subject)).toEqual(files);
  });

  test("another SECRET alone opens nothing", async () => {
    const path = join(temporaryFolder(), "identity.sqlite");
    const before = open({ path });
    const check = await checkOf();
    await before.check(check);
    before.close();
    cleanups.pop();
    await expect(open({ path, keys: [Buffer.alloc(32, 2)] }).evidence(check.subject)).rejects.toThrow("SECRET");
  });

  test("nothing that names or shows a person lies in the clear", async () => {
    const folder = temporaryFolder();
    const simulator = open({ path: join(folder, "identity.sqlite") });
    const check = await checkOf();
    await simulator.check(check);
    const [, photo] = await simulator.evidence(check.subject);
    const bytes = Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name))));
    expect(bytes.includes("check-1")).toBe(true);
    const secrets = [maria.idNumber, "FERNANDEZ", "Fernández", Buffer.from(photo?.bytes ?? []).subarray(100, 140)];
    for (const secret of secrets) expect(bytes.includes(secret)).toBe(false);
  });

  test("what is forgotten is in none of the files any more, nor in a log beside them", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "identity.sqlite");
    const simulator = open({ path });
    const check = await checkOf();
    await simulator.check(check);
    const file = new DatabaseSync(path, { readOnly: true });
    const rows = file.prepare("SELECT record AS kept FROM checks UNION ALL SELECT jpeg FROM photos").all();
    file.close();
    const held = () => {
      const bytes = readdirSync(folder).map((name) => readFileSync(join(folder, name)));
      // A photo lies in several pages: the beginning of it in one.
      return rows.filter(({ kept }) =>
        bytes.some((some) => some.includes(Buffer.from(kept as Uint8Array).subarray(0, 100))),
      );
    };
    expect(held()).toHaveLength(rows.length);
    await simulator.forget(check.subject);
    expect(held()).toEqual([]);
  });

  test("keys of another length, or none, are refused", () => {
    expect(() => open({ keys: [Buffer.alloc(16)] })).toThrow(RangeError);
    expect(() => open({ keys: [] })).toThrow(RangeError);
  });
});
