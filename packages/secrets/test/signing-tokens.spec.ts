import fc from "fast-check";
import { expect, test } from "vitest";
import { createSecrets, linkName, signingTokens } from "../src/index.ts";

const documentId = "01890a5d-ac96-774b-bcce-b302099a8057";
const secret = (letter: string) => Buffer.from(letter.repeat(32));
const tokens = signingTokens(createSecrets({ current: secret("a") }));

test("a token says whose link it is", () => {
  fc.assert(
    fc.property(fc.uuid(), fc.nat(65_535), (id, signerIndex) => {
      const token = tokens.make(id, signerIndex);
      expect(token).toMatch(/^[A-Za-z0-9_-]{47}$/);
      expect(tokens.read(token)).toEqual({ documentId: id, signerIndex, linkNumber: 0 });
    }),
  );
});

test("that of a later link says which one, and the first link's is what it always was", () => {
  fc.assert(
    fc.property(fc.uuid(), fc.nat(65_535), fc.integer({ min: 1, max: 65_535 }), (id, signerIndex, linkNumber) => {
      const token = tokens.make(id, signerIndex, linkNumber);
      expect(token).toMatch(/^[A-Za-z0-9_-]{50}$/);
      expect(tokens.read(token)).toEqual({ documentId: id, signerIndex, linkNumber });
    }),
  );
  expect(tokens.make(documentId, 3, 0)).toBe(tokens.make(documentId, 3));
  // As the version before numbers made it.
  expect(tokens.make(documentId, 3)).toBe("AQGJCl2slndLvM6zAgmagFcAA2CDOjM04lma0ewRUzVY4WU");
});

test("each link has a name of its own, where requests are counted", () => {
  const link = { documentId, signerIndex: 1, linkNumber: 0 };
  expect([linkName(link), linkName({ ...link, linkNumber: 2 })]).toEqual([`${documentId}/1`, `${documentId}/1/2`]);
});

test("the id is read in lower case, however it was given", () => {
  expect(tokens.make(documentId.toUpperCase(), 0)).toBe(tokens.make(documentId, 0));
});

test.each([0, 5])("no change of a single bit of link %i's is accepted", (linkNumber) => {
  const bytes = Buffer.from(tokens.make(documentId, 3, linkNumber), "base64url");
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    expect(tokens.read(changed.toString("base64url"))).toBeUndefined();
  }
});

test("no change of a single character is accepted, the last one's spare bits included", () => {
  const token = tokens.make(documentId, 3);
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/= ";
  for (let at = 0; at < token.length; at++)
    for (const letter of alphabet)
      if (letter !== token[at]) expect(tokens.read(token.slice(0, at) + letter + token.slice(at + 1))).toBeUndefined();
});

test.each(["=", "\n", " ", "A", "%00"])("a token with %j behind it is another text, and refused", (tail) => {
  for (const linkNumber of [0, 1]) expect(tokens.read(tokens.make(documentId, 3, linkNumber) + tail)).toBeUndefined();
});

test("whatever else comes is refused without an error", () => {
  for (const text of ["", "a", "é".repeat(47), "A".repeat(47), "A".repeat(100_000)])
    expect(tokens.read(text)).toBeUndefined();
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => tokens.read(text) === undefined));
});

test("a former secret's tokens are read, a stranger's are not", () => {
  const changed = signingTokens(createSecrets({ current: secret("b"), former: [secret("a")] }));
  const stranger = signingTokens(createSecrets({ current: secret("c") }));
  expect(changed.read(tokens.make(documentId, 1))).toEqual({ documentId, signerIndex: 1, linkNumber: 0 });
  expect(stranger.read(tokens.make(documentId, 1))).toBeUndefined();
});

test("a token is made for a UUID and an index of 16 bits only", () => {
  expect(() => tokens.make("no uuid", 0)).toThrow(TypeError);
  for (const index of [-1, 65_536, 1.5, Number.NaN]) {
    expect(() => tokens.make(documentId, index)).toThrow(RangeError);
    expect(() => tokens.make(documentId, 0, index)).toThrow(RangeError);
  }
});
