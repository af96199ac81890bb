import { sample } from "@rubrica/events";
import { describe, expect, test } from "vitest";
import { bodyOf, halfSigned } from "./half-signed.ts";
import { request, world } from "./world.ts";

const { documentId } = sample;

describe("the signers' metadata", () => {
  test("has the times, the latest photos and the drawing as data URIs, or null", async () => {
    const made = halfSigned();
    const photo = (text: string) => made.file(documentId, text, "image/jpeg");
    made.history.add("SelfieUploaded", { data: { attempt: 1, file: photo("first") } });
    made.history.add("SelfieUploaded", { data: { attempt: 2, file: photo("second") } });
    made.history.add("IdFrontUploaded", { data: { file: photo("front") } });
    made.history.add("IdBackUploaded", { data: { file: photo("back") } });
    expect(await bodyOf(made, `/api/v2/signers/${documentId}/metadata`)).toEqual([
      200,
      `{"id_seguimiento":"${documentId}","signers":[` +
        '{"id_custom":"c1","nombre":"Ana Paz","dni":"30123456","celular":"5491122334455",' +
        '"hora_firma":null,"wpp_sended_at":null,' +
        '"selfie":"data:image/jpeg;base64,c2Vjb25k","dni_frontal":"data:image/jpeg;base64,ZnJvbnQ=",' +
        '"dni_trasera":"data:image/jpeg;base64,YmFjaw==","garabato":null},' +
        '{"id_custom":"c2","nombre":"Li 李","dni":"30123456","celular":"5491122334455",' +
        '"hora_firma":"2026-11-21T15:00:03.999Z","wpp_sended_at":"2026-11-21T15:00:01.250Z",' +
        '"selfie":null,"dni_frontal":null,"dni_trasera":null,"garabato":"data:image/jpeg;base64,ZHJhd2luZw=="}]}',
    ]);
  });

  test("says JSON", async () => {
    const response = await halfSigned().get("/api/v2/signers/c1/metadata");
    expect(response.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(response.json().id_seguimiento).toBe(documentId);
  });

  test("of a forgotten person has null for everything of theirs", async () => {
    const made = world();
    made.history.add("DocumentRequested", { personal: null });
    made.history.add("SelfieUploaded", { personal: null });
    expect((await made.get(`/api/v2/signers/${documentId}/metadata`)).json().signers).toEqual([
      {
        id_custom: null,
        nombre: null,
        dni: null,
        celular: null,
        hora_firma: null,
        wpp_sended_at: null,
        selfie: null,
        dni_frontal: null,
        dni_trasera: null,
        garabato: null,
      },
    ]);
  });

  test("of an unknown id", async () => {
    expect(await bodyOf(halfSigned(), "/api/v2/signers/nobody/metadata")).toEqual([
      404,
      '{"error":"No se encontró el id de seguimiento"}',
    ]);
  });

  test("when the files can't be read", async () => {
    const made = world();
    request(made, documentId, "c1");
    made.history.add("DocumentSigned");
    made.state.failing = "files";
    expect(await bodyOf(made, `/api/v2/signers/${documentId}/metadata`)).toEqual([
      500,
      '{"error":"Error al obtener los metadatos de los firmantes"}',
    ]);
    expect(made.logText()).not.toContain("secret");
  });
});
