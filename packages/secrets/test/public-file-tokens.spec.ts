import fc from "fast-check";
import { expect, test } from "vitest";
import { createSecrets, type PublicFile, publicFileTokens, publicFileUrl, signingTokens } from "../src/index.ts";

const documentId = "01890a5d-ac96-774b-bcce-b302099a8057";
const secret = (letter: string) => Buffer.from(letter.repeat(32));
const tokens = publicFileTokens(createSecrets({ current: secret("a") }));
const file: PublicFile = { documentId, kind: "document" };

test("a token says which file it opens", () => {
  fc.assert(
    fc.property(fc.uuid(), fc.constantFrom("document" as const, "report" as const), (id, kind) => {
      const token = tokens.make({ documentId: id, kind });
      expect(token).toMatch(/^[A-Za-z0-9_-]{46}$/);
      expect(tokens.read(token)).toEqual({ documentId: id, kind });
    }),
  );
});

test("a file's address holds it", () => {
  expect(publicFileUrl("https://sign.example.com", tokens, file)).toBe(
    `https://sign.example.com/files/${tokens.make(file)}.pdf`,
  );
});

test("no change of a single bit is accepted, such as one that makes a report of a document", () => {
  const bytes = Buffer.from(tokens.make(file), "base64url");
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    expect(tokens.read(changed.toString("base64url"))).toBeUndefined();
  }
});

test.each(["", "a", "A".repeat(46), "é".repeat(46), `${tokens.make(file)}=`, `${tokens.make(file)}\n`])(
  "%j is no token",
  (text) => expect(tokens.read(text)).toBeUndefined(),
);

test("a signing link's token opens no file, and a stranger's neither; a former secret's does", () => {
  const secrets = createSecrets({ current: secret("a") });
  expect(tokens.read(signingTokens(secrets).make(documentId, 0))).toBeUndefined();
  expect(publicFileTokens(createSecrets({ current: secret("c") })).read(tokens.make(file))).toBeUndefined();
  const changed = publicFileTokens(createSecrets({ current: secret("b"), former: [secret("a")] }));
  expect(changed.read(tokens.make(file))).toEqual(file);
});
