import { sample } from "@rubrica/events";
import { describe, expect, test } from "vitest";
import { bodyOf, completed, halfSigned, signedAt } from "./half-signed.ts";

const { documentId } = sample;

describe("the signature status", () => {
  test("of a document that is not signed by all", async () => {
    expect(await bodyOf(halfSigned(), `/api/v2/signatureStatus/${documentId}`)).toEqual([
      200,
      '{"is_finished":false,"signed_at":null}',
    ]);
  });

  test("of a finished document", async () => {
    expect(await bodyOf(completed(halfSigned()), `/api/v2/signatureStatus/${documentId}`)).toEqual([
      200,
      '{"is_finished":true,"signed_at":1795273209}',
    ]);
  });

  test("of a signer who has signed, while another has not", async () => {
    expect(await bodyOf(halfSigned(), "/api/v2/signatureStatus/c2")).toEqual([
      200,
      `{"is_finished":true,"signed_at":${signedAt},"is_finished_mission":false}`,
    ]);
  });

  test("of a signer who has not signed, while another has", async () => {
    expect(await bodyOf(halfSigned(), "/api/v2/signatureStatus/c1")).toEqual([
      200,
      '{"is_finished":false,"signed_at":null,"is_finished_mission":false}',
    ]);
  });

  test("of a signer of a finished document is the signer's own time", async () => {
    expect(await bodyOf(completed(halfSigned()), "/api/v2/signatureStatus/c2")).toEqual([
      200,
      `{"is_finished":true,"signed_at":${signedAt},"is_finished_mission":true}`,
    ]);
  });

  test("of a rejected document is that it is not finished", async () => {
    const made = halfSigned();
    made.history.add("Rejected");
    expect(await bodyOf(made, `/api/v2/signatureStatus/${documentId}`)).toEqual([
      200,
      '{"is_finished":false,"signed_at":null}',
    ]);
  });

  test("of an unknown id", async () => {
    expect(await bodyOf(halfSigned(), "/api/v2/signatureStatus/nobody")).toEqual([
      404,
      '{"error":"No se encontró el id de seguimiento"}',
    ]);
  });

  test("when it can't be read", async () => {
    const made = halfSigned();
    made.state.failing = "events";
    expect(await bodyOf(made, `/api/v2/signatureStatus/${documentId}`)).toEqual([
      500,
      '{"error":"Error al obtener el estado de la firma"}',
    ]);
  });
});
