import {
  ana,
  ben,
  completed,
  consented,
  given,
  origin,
  preparationFailed,
  prepared,
  queued,
  refused,
  rejected,
  requested,
  requestedInBulk,
  sealed,
  signed,
  signing,
  turnCame,
} from "@rubrica/test-kit/document-history";
import { describe, expect, test } from "vitest";
import { canSign, documentFold, foldOf, openPage, reject, sign } from "../../src/index.ts";

describe("signing", () => {
  test("records the consent, then the signature", () =>
    given(requested([ana, ben]))
      .when(sign, signing(ana))
      .then(consented(ana), signed(ana)));
  test("completes the document when it is the last signature", () =>
    given(requested([ana, ben]), signed(ana))
      .when(sign, signing(ben))
      .then(consented(ben), signed(ben), completed));
  test("completes the document in whatever order the signers signed", () =>
    given(requested([ana, ben]), signed(ben))
      .when(sign, signing(ana))
      .then(consented(ana), signed(ana), completed));
  test("needs no time zone", () =>
    given(requested([ana, ben]))
      .when(sign, { ...signing(ana), timeZone: null })
      .thenTypes("ConsentGiven", "DocumentSigned"));

  test.each([
    ["before the signer's turn", [requested([ana, ben])]],
    ["while the signer waits in line", [requested([ana, ben]), queued(ana)]],
    ["after the signer chose not to continue", [requested([ana, ben]), turnCame(ana), refused(ana, "p1")]],
    ["once a bulk row is prepared", [requestedInBulk([ana, ben]), prepared]],
  ])("works %s", (_when, history) =>
    given(...history)
      .when(sign, signing(ana))
      .then(consented(ana), signed(ana)),
  );

  test.each([
    ["while others still have to", [requested([ana, ben]), signed(ana)]],
    ["when it was the last signature", [requested(), signed(ana), completed]],
    ["when the document is sealed", [requested(), signed(ana), completed, sealed]],
    ["when another signer rejected it since", [requested([ana, ben]), signed(ana), rejected(ben)]],
  ])("twice is once, also %s", (_when, history) =>
    given(...history)
      .when(sign, signing(ana))
      .then(),
  );
  test("twice is once, whatever is sent along", () =>
    given(requested(), signed(ana), completed)
      .when(sign, { ...signing(ana), documentSha256: "00".repeat(32) })
      .then());

  test("is refused after a rejection", () =>
    given(requested([ana, ben]), rejected(ben))
      .when(sign, signing(ana))
      .fails("document_ended"));
  test("is refused to who rejected", () =>
    given(requested([ana, ben]), rejected(ben))
      .when(sign, signing(ben))
      .fails("document_ended"));
  test("is refused while the document is prepared", () =>
    given(requestedInBulk()).when(sign, signing(ana)).fails("document_being_prepared"));
  test("is refused when the document could not be prepared", () =>
    given(requestedInBulk(), preparationFailed).when(sign, signing(ana)).fails("document_ended"));
  test("is refused when the signer saw another file", () =>
    given(requested())
      .when(sign, { ...signing(ana), documentSha256: "00".repeat(32) })
      .fails("document_changed"));
  test("is refused to strangers", () => {
    given(requested()).when(sign, signing(ben)).fails("unknown_signer");
    given().when(sign, signing(ana)).fails("unknown_document");
  });

  test("keeps what was drawn, what was agreed to, and when", () => {
    const at = "2026-11-21T12:00:00.000Z";
    const history = [requested([ana, ben]), consented(ana), signed(ana)].map((event) => ({
      ...event,
      metadata: { at },
    }));
    expect(foldOf(documentFold, history)).toMatchObject({
      requestedAt: at,
      signers: [{ signature: { at, consentVersion: "2026-11", timeZone: "America/Montevideo" } }, { signature: null }],
    });
  });
});

describe("rejecting", () => {
  const rejection = (signerId: string) => ({ signerId, reason: "Wrong amount", origin });

  test("ends the document", () =>
    given(requested([ana, ben]))
      .when(reject, rejection(ben))
      .then(rejected(ben)));
  test("works before the signer's turn and while photos are missing", () =>
    given(requested([ana, ben], { requestPhotos: true }))
      .when(reject, rejection(ben))
      .then(rejected(ben)));
  test("twice is once", () => given(requested(), rejected(ana)).when(reject, rejection(ana)).then());
  test("is refused after somebody else's rejection", () =>
    given(requested([ana, ben]), rejected(ana))
      .when(reject, rejection(ben))
      .fails("document_ended"));
  test("is refused to who has signed", () =>
    given(requested([ana, ben]), signed(ana))
      .when(reject, rejection(ana))
      .fails("already_signed"));
  test("nobody rejects a finished document", () =>
    given(requested(), signed(ana), completed).when(reject, rejection(ana)).fails("document_ended"));
  test("is refused while there is nothing to read", () =>
    given(requestedInBulk()).when(reject, rejection(ana)).fails("document_being_prepared"));
  test("is refused to strangers", () => given(requested()).when(reject, rejection(ben)).fails("unknown_signer"));
  test("keeps who rejected and why, until that is forgotten", () => {
    expect(foldOf(documentFold, [requested(), rejected(ana)])).toMatchObject({
      status: "rejected",
      rejection: { signerId: ana, reason: "Wrong amount" },
    });
    expect(
      foldOf(documentFold, [requested(), { ...rejected(ana), personal: null } as ReturnType<typeof rejected>]),
    ).toMatchObject({
      rejection: { signerId: ana, reason: null },
    });
  });
});

describe("whether a signer can sign", () => {
  const can = (signerId: string, ...history: Parameters<typeof given>) =>
    canSign(foldOf(documentFold, history), signerId);

  test("is what signing would do", () => {
    expect(can(ana, requested([ana, ben]))).toBe(true);
    expect(can(ben, requested([ana, ben]))).toBe(true);
    expect(can(ana, requested([ana, ben]), signed(ana))).toBe(false);
    expect(can(ben, requested([ana, ben]), rejected(ana))).toBe(false);
    expect(can(ana, requestedInBulk())).toBe(false);
    expect(can(ana, requested([ana], { requestPhotos: true }))).toBe(false);
    expect(can(ana)).toBe(false);
  });
});

describe("opening the signing page", () => {
  const opened = { type: "SigningPageOpened" as const, data: { signerId: ana }, personal: origin };

  test("is recorded, each time", () => {
    given(requested()).when(openPage, { signerId: ana, origin }).then(opened);
    given(requested(), opened).when(openPage, { signerId: ana, origin }).then(opened);
  });
  test("is recorded 20 times at most", () =>
    given(requested(), ...Array.from({ length: 20 }, () => opened))
      .when(openPage, { signerId: ana, origin })
      .then());
  test("is recorded while the document is prepared", () =>
    given(requestedInBulk()).when(openPage, { signerId: ana, origin }).then(opened));
  test("is nothing once the signer signed or the document ended", () => {
    given(requested([ana, ben]), signed(ana))
      .when(openPage, { signerId: ana, origin })
      .then();
    given(requested([ana, ben]), rejected(ben))
      .when(openPage, { signerId: ana, origin })
      .then();
  });
  test("is a signer's", () => given(requested()).when(openPage, { signerId: ben, origin }).fails("unknown_signer"));
});
