import { X509Certificate } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createPdfEngine, loadOrCreateSigningIdentity, type PdfEngine, type SigningIdentity } from "@rubrica/pdf";
import { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { systemRuntime } from "@rubrica/runtime";
import { samplePdf, temporaryFolder } from "@rubrica/test-kit";
import { pdf, stampOf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf, updated } from "@rubrica/test-kit/pdf/update";
import { PDFName } from "pdf-lib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createProgram } from "../src/program.ts";
import { VerifyError } from "../src/verify.ts";

/** A number that no object of the sample has. */
const FURTHER = 900;
const runtime = systemRuntime();
const folder = temporaryFolder();
const path = (name: string): string => join(folder.path, name);
let engine: PdfEngine;
let identity: SigningIdentity;

beforeAll(async () => {
  engine = createPdfEngine({ clock: runtime.clock, processes: 1 });
  identity = await loadOrCreateSigningIdentity(folder.path, "http://localhost", runtime.clock, runtime.random);
  const sealed = await engine.seal(await samplePdf(), { identity, sealedAt: runtime.clock.now() });
  writeFileSync(path("sealed.pdf"), sealed.bytes);
  writeFileSync(path("roots.pem"), identity.issuers.map((each) => new X509Certificate(each).toString()).join(""));
  const stranger = await loadOrCreateSigningIdentity(path("other"), "http://other", runtime.clock, runtime.random);
  const further = await engine.seal(sealed.bytes, { identity: stranger, sealedAt: runtime.clock.now() });
  writeFileSync(path("signed-further.pdf"), further.bytes);
  const more = { [FURTHER]: streamOf("something", "/Type/EmbeddedFile") };
  const small = await engine.seal(pdf(), { identity, sealedAt: runtime.clock.now() });
  const trailer = `/ID ${PdfFile.open(small.bytes).crossReference.trailer.get(PDFName.of("ID"))}`;
  writeFileSync(path("with-more.pdf"), updated(small.bytes, more, { trailer }));
  writeFileSync(path("unsigned.pdf"), await samplePdf());
  const changed = readFileSync(path("sealed.pdf"));
  changed.writeUInt8(changed.readUInt8(1_000) ^ 1, 1_000);
  writeFileSync(path("changed.pdf"), changed);
});
afterAll(async () => {
  await engine.close();
  folder[Symbol.dispose]();
});

/** Runs the CLI where no service has ever been; gives what it printed, also where it fails. */
const rubrica = async (...args: string[]) => {
  const lines: string[] = [];
  const print = async (text: string) => void lines.push(text);
  const environment = { DATA_DIR: path("nothing") };
  const run = createProgram({ environment, runtime, print }).parseAsync(["verify", ...args], { from: "user" });
  const error = await run.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return { text: lines.join("\n"), error };
};

describe("rubrica verify", () => {
  test("says of a sealed file who, when, what it covers, what came after, and what it can't know", async () => {
    const { text, error } = await rubrica(path("sealed.pdf"), "--roots", path("roots.pem"));
    expect(error).toBeNull();
    for (const part of [
      "1. Signature",
      "Rubrica Document Seal",
      "nobody but the signer, who claims 20",
      "whether it was revoked, or might be used so, is unknown",
      "the whole file",
      "Not known without the service",
      "Every signature holds.",
    ])
      expect(text).toContain(part);
  });

  test("says what a seal is over, and that a document was cut off after one of several", async () => {
    const id = "019aa5c0-0000-7000-8000-0000000000d1";
    const sealing = { identity, sealedAt: runtime.clock.now() };
    for (const [kind, said] of [
      ["report", `the legal report of the document ${id}`],
      ["document", `the signed document ${id}`],
    ] as const) {
      writeFileSync(path("named.pdf"), (await engine.seal(pdf(), { ...sealing, named: { kind, id } })).bytes);
      const { text, error } = await rubrica(path("named.pdf"), "--roots", path("roots.pem"));
      expect(error).toBeNull();
      expect(text).toMatch(new RegExp(`says that it is over +${said}`));
    }
    const stamps = [1, 2].map((number) => stampOf({ placement: { pages: "last", x: 150 * number, y: 700 } }));
    const named = { kind: "document", id } as const;
    const { bytes } = await engine.stampAndSeal(readFileSync(path("sealed.pdf")), stamps, { ...sealing, named });
    const [, first] = (await engine.verify(bytes, identity.issuers)).signatures;
    for (const [length, fault] of [
      [bytes.length, null],
      [first?.coveredBytes, "what was sealed later was cut off"],
    ] as const) {
      writeFileSync(path("cut.pdf"), bytes.subarray(0, length));
      const { error } = await rubrica(path("cut.pdf"), "--roots", path("roots.pem"));
      expect(error).toEqual(fault && expect.objectContaining({ message: expect.stringContaining(fault) }));
    }
  });

  test.each([
    ["sealed.pdf", "No signature is under the given roots."],
    ["unsigned.pdf", "The file has no signatures."],
    ["changed.pdf", "A signature does not hold."],
    ["roots.pem", "The file is no PDF that can be read."],
  ])("fails for %s without roots", async (name, fault) => {
    const { text, error } = await rubrica(path(name), "--json");
    expect(error).toEqual(new VerifyError(fault));
    expect(JSON.parse(text)).toMatchObject({ fault });
  });

  test.each([
    ["signed by somebody else since", "signed-further.pdf", /^Somebody who is not under the given roots signed after/],
    ["with something hidden behind it", "with-more.pdf", /^After the last seal came something/],
  ])("fails for a sealed file %s", async (_name, file, fault) => {
    const { text, error } = await rubrica(path(file), "--roots", path("roots.pem"));
    expect(text).not.toContain("Every signature holds.");
    expect(text).not.toMatch(/other content|intact +no/);
    expect(error).toMatchObject({ message: expect.stringMatching(fault) });
  });

  test("fails for a seal that is written otherwise than the service writes it, after which anything may come", async () => {
    const named = { kind: "document", id: "019aa5c0-0000-7000-8000-0000000000d1" } as const;
    const { bytes } = await engine.seal(pdf(), { identity, sealedAt: runtime.clock.now(), named });
    const text = Buffer.from(bytes).toString("latin1");
    const letter = /\/Contents ?<[0-9]*[a-f]/.exec(text);
    const at = (letter?.index ?? 0) + (letter?.[0].length ?? 0) - 1;
    writeFileSync(
      path("rewritten.pdf"),
      text.slice(0, at) + text.charAt(at).toUpperCase() + text.slice(at + 1),
      "latin1",
    );
    const { text: said, error } = await rubrica(path("rewritten.pdf"), "--roots", path("roots.pem"));
    expect(said).toMatch(/intact +yes/);
    expect(error).toMatchObject({ message: expect.stringMatching(/^The last seal holds, and is not written as/) });
  });

  test("names a file that can't be read, and roots that are none", async () => {
    expect((await rubrica(path("missing.pdf"))).error).toBeInstanceOf(VerifyError);
    expect((await rubrica("/dev/zero")).error).toMatchObject({ message: "/dev/zero can't be read: it is no file." });
    expect((await rubrica(path("sealed.pdf"), "--roots", path("sealed.pdf"))).error).toMatchObject({
      message: `${path("sealed.pdf")} can't be used: it has no certificates in PEM.`,
    });
  });
});
