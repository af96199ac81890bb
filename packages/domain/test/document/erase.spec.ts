import { type DocumentEvent, photoKinds, photoUploads, sample } from "@rubrica/events";
import {
  ana,
  attempted,
  ben,
  bulkRow,
  completed,
  event,
  given,
  link,
  now,
  origin,
  preparationFailed,
  rejected,
  requested,
  requestedInBulk,
  seal,
  sealed,
  signed,
  signing,
  template,
} from "@rubrica/test-kit/document-history";
import { describe, expect, test } from "vitest";
import {
  documentFold,
  eraseDocument,
  foldOf,
  isToBeSigned,
  knownToProviders,
  openPage,
  prepareDocument,
  recordEvidence,
  recordForgotten,
  recordReport,
  recordSealed,
  recordSealingFailed,
  recordTurnCome,
  reject,
  requestedDocument,
  sign,
} from "../../src/index.ts";

const at = "2026-11-21T12:00:00.000Z";
const dated = (document: DocumentEvent) => ({ ...document, metadata: { at } });
const hmac = (signerId: string) => signerId.slice(-2).repeat(32);
const erase = {
  cause: "requested" as const,
  customIdHmac: (_account: string, idCustom: string) => hmac(idCustom),
};
const erasedOf = (...signerIds: string[]) =>
  event("DocumentErased", {
    cause: "requested",
    requestedAt: at,
    customIds: signerIds.map((signerId) => ({ signerId, hmac: hmac(signerId) })),
  });
const withdrawn = (bulkId: string | null = null) => event("DocumentWithdrawn", { reason: "erasure", bulkId, by: null });
const forgotten = event("DocumentForgotten", {});

const request = dated(requested([ana, ben]));
const open = [request, signed(ana)];
const erasedOpen = [...open, withdrawn(), erasedOf(ana, ben)];
const ended = [dated(requested()), signed(ana), completed, sealed];

describe("erasing", () => {
  test("ends an open document first", () =>
    given(...open)
      .when(eraseDocument, erase)
      .then(withdrawn(), erasedOf(ana, ben)));
  test("of a bulk row that was still to be prepared tells its call", () =>
    given(dated(requestedInBulk([ana])))
      .when(eraseDocument, erase)
      .then(withdrawn(bulkRow.bulkId), erasedOf(ana)));
  test.each([
    ["completed", ended],
    ["rejected", [dated(requested()), rejected(ana)]],
    ["never prepared", [dated(requestedInBulk([ana])), preparationFailed]],
  ])("leaves the end of a document that was %s as it was", (_name, history) =>
    given(...history)
      .when(eraseDocument, erase)
      .then(erasedOf(ana)),
  );
  test("is done once", () =>
    given(...erasedOpen)
      .when(eraseDocument, { ...erase, cause: "retention" as const })
      .then());
  test("leaves out whose id was unknown by then", () =>
    given({ ...dated(requested()), personal: null })
      .when(eraseDocument, erase)
      .then(withdrawn(), erasedOf()));
  test("of an unknown document is refused", () => given().when(eraseDocument, erase).fails("unknown_document"));
});

describe("an erased document", () => {
  test("names nobody, whatever could still be read", () => {
    const state = foldOf(documentFold, [dated(requested()), rejected(ana, "Ana Paz never owed that"), erasedOf(ana)]);
    expect(state).toMatchObject({ status: "rejected", erasure: "erased", rejection: { reason: null } });
    expect(JSON.stringify(state)).not.toMatch(/Ana|Signer|30123456|5491122334455|Lease|ACME/);
  });
  test("is signed and rejected by nobody, and its page is not told of", () => {
    given(...erasedOpen)
      .when(sign, signing(ben))
      .fails("document_ended");
    given(...erasedOpen)
      .when(reject, { signerId: ben, reason: "late", origin })
      .fails("document_ended");
    given(...erasedOpen)
      .when(openPage, { signerId: ben, origin })
      .then();
    given(...erasedOpen)
      .when(recordTurnCome, { signerId: ben })
      .then();
    expect(isToBeSigned(foldOf(documentFold, erasedOpen), signing(ana))).toBe(false);
  });
  test("is prepared, sealed and reported no more", () => {
    given(dated(requestedInBulk([ana])), withdrawn(bulkRow.bulkId), erasedOf(ana))
      .when(prepareDocument, { file: seal.file, pageCount: 2 })
      .then();
    const unsealed = [dated(requested()), signed(ana), completed, erasedOf(ana)];
    given(...unsealed)
      .when(recordSealed, seal)
      .then();
    given(...unsealed)
      .when(recordSealingFailed, { attempt: 1, reason: "gone", now, jitter: 0 })
      .then();
    given(...unsealed)
      .when(recordEvidence, { provider: sample.provider, files: [] })
      .then();
    given(...unsealed)
      .when(recordReport, { sizeBytes: 1 })
      .then();
  });
  test("is forgotten once, and no other is", () => {
    given(...erasedOpen)
      .when(recordForgotten, undefined)
      .then(forgotten);
    given(...erasedOpen, forgotten)
      .when(recordForgotten, undefined)
      .then();
    given(...open)
      .when(recordForgotten, undefined)
      .fails("document_not_erased");
  });
});

describe("providers may know, of an erased document", () => {
  const uploaded = (signerId: string, kinds: readonly (typeof photoKinds)[number][]) =>
    kinds.map((kind): DocumentEvent => {
      const data = { signerId, attempt: 1, file: sample.jpeg, validation: "pending" } as const;
      return { type: photoUploads[kind], data, personal: origin };
    });
  const known = (validatePhotos: boolean, ...history: DocumentEvent[]) => {
    const first = requested([ana, ben]);
    const asked = { ...first, data: { ...first.data, requestPhotos: true, validatePhotos } };
    const all = [dated(asked), ...history, withdrawn(), erasedOf(ana, ben)];
    return knownToProviders(requestedDocument(foldOf(documentFold, all)));
  };

  test("each message that was attempted, whatever came of it", () => {
    const history = [
      attempted(template(ana)),
      attempted(template(ana), 2),
      attempted(link(ana)),
      attempted(template(ben)),
    ];
    const messageIds = [template(ana), link(ana), template(ben)].map(({ messageId }) => messageId);
    expect(known(true, ...history)).toEqual({ messageIds, signerIds: [] });
  });
  test("each signer who took all photos, where these are validated", () => {
    const history = [...uploaded(ana, photoKinds), ...uploaded(ben, ["selfie", "idFront"])];
    expect(known(true, ...history)).toEqual({ messageIds: [], signerIds: [ana] });
    expect(known(false, ...history)).toEqual({ messageIds: [], signerIds: [] });
  });
});
