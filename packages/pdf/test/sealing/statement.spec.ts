import { systemClock, systemRandom } from "@rubrica/runtime";
import { temporaryFolder } from "@rubrica/test-kit";
import { beforeAll, expect, test } from "vitest";
import {
  checkStatement,
  InvalidSignature,
  loadOrCreateSigningIdentity,
  type SigningIdentity,
  signStatement,
} from "../../src/index.ts";

const tools = { clock: systemClock, random: systemRandom };
const named = { kind: "head", id: "9f" } as const;
const statement = Buffer.from('{"size":3}');

let identity: SigningIdentity;
let roots: Uint8Array[];
beforeAll(async () => {
  using folder = temporaryFolder();
  identity = await loadOrCreateSigningIdentity(folder.path, "http://localhost", systemClock, systemRandom);
  roots = [...identity.issuers];
});

test("a statement's signature holds for it alone, and by whom it is", async () => {
  const { cms, timestampedAt } = await signStatement(tools, statement, named, { identity });
  expect(timestampedAt).toBeNull();
  expect(checkStatement(statement, named, cms, roots)).toEqual({
    certificateSha256: identity.certificateSha256,
    trusted: true,
    timestampedAt: null,
  });
  expect(checkStatement(statement, named, cms, [])).toMatchObject({ trusted: false });
  expect(() => checkStatement(Buffer.from('{"size":4}'), named, cms, roots)).toThrow(InvalidSignature);
});

test("one over something of another name does not hold", async () => {
  const { cms } = await signStatement(tools, statement, { kind: "document", id: "9f" }, { identity });
  expect(() => checkStatement(statement, named, cms, roots)).toThrow("it names something else");
  expect(() => checkStatement(statement, { kind: "document", id: "8e" }, cms, roots)).toThrow(InvalidSignature);
});

test("what is no signature at all does not hold", () => {
  for (const bytes of [Buffer.alloc(0), Buffer.from("no"), Buffer.from("3000", "hex")])
    expect(() => checkStatement(statement, named, bytes, roots)).toThrow(InvalidSignature);
});

test("where no authority gives a timestamp there is none", async () => {
  const clock = { ...systemClock, wait: async () => {} };
  const timestamps = { urls: ["http://127.0.0.1:1/"] };
  const signed = await signStatement({ ...tools, clock }, statement, named, { identity, timestamps });
  expect(signed.timestampedAt).toBeNull();
  expect(checkStatement(statement, named, signed.cms, roots)).toMatchObject({ timestampedAt: null });
});

test("what is said of a signature beside it has to be so, where that is asked", async () => {
  const { cms } = await signStatement(tools, statement, named, { identity });
  const said = { certificateSha256: identity.certificateSha256, timestampedAt: null };
  expect(checkStatement(statement, named, cms, roots, said)).toMatchObject({ trusted: true });
  for (const otherwise of [{ timestampedAt: "2020-01-01T00:00:00.000Z" }, { certificateSha256: "ab".repeat(32) }])
    expect(() => checkStatement(statement, named, cms, roots, { ...said, ...otherwise })).toThrow("is not the one");
});
