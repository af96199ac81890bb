import { sample } from "@rubrica/events";
import { describe, expect, test } from "vitest";
import { bodyOf } from "./half-signed.ts";
import { fileTokens, hmacOf, request, type World, world } from "./world.ts";

const { documentId } = sample;

describe("an erased document", () => {
  const idCustom = "30123456";
  /** Erased in a process that still has its key, and its files. */
  const erased = (): World => {
    const made = world();
    request(made, documentId, idCustom, { sentFile: made.file(documentId, "%PDF sent", "application/pdf") });
    made.history.add("SelfieUploaded", { data: { file: made.file(documentId, "photo", "image/jpeg") } });
    made.history.add("SelfieValidated");
    made.history.add("DocumentSigned");
    made.history.add("DocumentCompleted");
    made.history.add("DocumentSealed", { data: { file: made.file(documentId, "%PDF", "application/pdf") } });
    made.history.add("DocumentErased", {
      data: {
        requestedAt: "2026-11-21T15:00:01.500Z",
        customIds: [{ signerId: sample.signerId, hmac: hmacOf(sample.accountId, idCustom) }],
      },
    });
    return made;
  };
  const gone = [410, '{"error":"Los datos del documento fueron eliminados"}'];

  test.each([documentId, idCustom])("has no file, photo or metadata any more, by %s", async (id) => {
    const made = erased();
    for (const url of [
      `/api/v2/documents/${id}`,
      `/api/v2/documents/${id}/sent`,
      `/api/v2/signers/${id}/metadata`,
      `/api/v2/signers/${id}/photos/${idCustom}/selfie/1`,
      `/files/${fileTokens.make({ documentId, kind: "document" })}.pdf`,
    ])
      expect(await bodyOf(made, url)).toEqual(gone);
  });

  test.each([documentId, idCustom])(
    "keeps its status, its event log and its report, which name nobody, by %s",
    async (id) => {
      const made = erased();
      expect((await made.get(`/api/v2/signatureStatus/${id}`)).json()).toMatchObject({ is_finished: true });
      const log = await made.get(`/api/eventLogs/${id}`);
      expect(log.json().events).toMatchObject([
        { event: "selfie_biometric_validation", signer: null, phone: null, result: "approved" },
        { event: "document_signed", signer: null, phone: null },
      ]);
      expect(log.body).not.toMatch(/Ana|30123456|5491122334455|"link":/);
      expect((await made.get(`/api/v2/reporte/${id}`)).statusCode).toBe(200);
    },
  );

  test("is found by id_custom by whom no process can read any more", async () => {
    const made = erased();
    for (const event of made.history.events) event.personal = null;
    expect(await bodyOf(made, `/api/v2/documents/${idCustom}`)).toEqual(gone);
  });
});
