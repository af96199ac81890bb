import { documentFold, requestedDocument } from "@rubrica/domain";
import { ana, ben, requested } from "@rubrica/test-kit/document-history";
import { expect, test } from "vitest";
import { ownSigner } from "../../src/documents/own-signer.ts";

const document = requestedDocument(documentFold.evolve(documentFold.initial, requested([ana, ben])));

/** The document, whose signers are called so by its integrator. */
const called = (...idsCustom: readonly string[]) => ({
  ...document,
  signers: document.signers.map((signer, index) => ({
    ...signer,
    person: signer.person && { ...signer.person, idCustom: idsCustom[index] ?? "" },
  })),
});

test("a signer is found by their id_custom", () =>
  expect(ownSigner(called("one", "other"), "other").signerId).toBe(ben));

test("nobody is, where none has it, or several have", () => {
  expect(() => ownSigner(called("one", "other"), "third")).toThrow(expect.objectContaining({ status: 404 }));
  expect(() => ownSigner(called("one", "one"), "one")).toThrow(
    expect.objectContaining({ status: 409, body: { error: "Varios firmantes tienen este id_custom" } }),
  );
});
