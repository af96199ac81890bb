import { sample } from "@rubrica/events";
import { describe, expect, test } from "vitest";
import { bodyOf, completed, halfSigned } from "./half-signed.ts";
import { request, type World, world } from "./world.ts";

const { documentId, otherDocumentId } = sample;

describe("the signed document", () => {
  const sealed = (): World => {
    const made = completed(halfSigned());
    made.history.add("DocumentSealed", { data: { file: made.file(documentId, "%PDF-1.7 sealed", "application/pdf") } });
    return made;
  };

  test.each([documentId, "c1"])("is the sealed PDF, by %s", async (id) => {
    const response = await sealed().get(`/api/v2/documents/${id}`);
    expect([response.statusCode, response.headers["content-type"], response.body]).toEqual([
      200,
      "application/pdf",
      "%PDF-1.7 sealed",
    ]);
  });

  test("before it is sealed", async () => {
    expect(await bodyOf(completed(halfSigned()), `/api/v2/documents/${documentId}`)).toEqual([
      404,
      '{"error":"No se encontró el archivo"}',
    ]);
  });

  test("when it was forgotten", async () => {
    const made = completed(halfSigned());
    made.history.add("DocumentSealed");
    expect(await bodyOf(made, `/api/v2/documents/${documentId}`)).toEqual([
      404,
      '{"error":"No se encontró el archivo"}',
    ]);
  });

  test("of an unknown id", async () => {
    expect(await bodyOf(sealed(), `/api/v2/documents/${otherDocumentId}`)).toEqual([
      404,
      '{"error":"No se encontró el id de seguimiento"}',
    ]);
  });

  test("when it can't be read", async () => {
    const made = sealed();
    made.state.failing = "files";
    const response = await made.get(`/api/v2/documents/${documentId}`);
    expect([response.statusCode, response.headers["content-type"], response.body]).toEqual([
      500,
      "application/json; charset=utf-8",
      '{"error":"Error al obtener el documento"}',
    ]);
  });
});

describe("the document as it was sent", () => {
  const path = `/api/v2/documents/${documentId}/sent`;
  const requested = (text: string | null): World => {
    const made = world();
    const sentFile = text === null ? null : made.file(documentId, text, "application/pdf");
    request(made, documentId, "c1", { sentFile });
    return made;
  };

  test.each([documentId, "c1"])("is what was sent, by %s", async (id) => {
    const response = await requested("%PDF-1.7 sent").get(`/api/v2/documents/${id}/sent`);
    const { statusCode, headers, body } = response;
    expect([statusCode, headers["content-type"], headers["content-disposition"], body]).toEqual([
      200,
      "application/pdf",
      `attachment; filename="${documentId}-sent.pdf"`,
      "%PDF-1.7 sent",
    ]);
  });

  test("is not there where nobody sent it, or that was not recorded", async () => {
    expect(await bodyOf(requested(null), path)).toEqual([404, '{"error":"No se encontró el archivo"}']);
  });
});

describe("a signer's photo", () => {
  const withPhotos = (): World => {
    const made = halfSigned();
    made.history.add("SelfieUploaded", { data: { attempt: 1, file: made.file(documentId, "first", "image/jpeg") } });
    made.history.add("SelfieUploaded", { data: { attempt: 2, file: made.file(documentId, "second", "image/png") } });
    made.history.add("IdBackUploaded", { data: { attempt: 1, file: made.file(documentId, "back", "image/jpeg") } });
    return made;
  };
  const at = (path: string) => `/api/v2/signers/${documentId}/photos/${path}`;

  test.each([
    ["c1/selfie/1", "image/jpeg", "first"],
    ["c1/selfie/2", "image/png", "second"],
    ["c1/dni_trasera/1", "image/jpeg", "back"],
  ])("%s is that attempt's", async (path, mediaType, text) => {
    const response = await withPhotos().get(at(path));
    expect([response.statusCode, response.headers["content-type"], response.body]).toEqual([200, mediaType, text]);
  });

  test.each(["c1/selfie/3", "c1/selfie/01", "c1/dni_frontal/1", "c2/selfie/1", "c1/idBack/1", "x/selfie/1"])(
    "%s is not there",
    async (path) => {
      expect(await bodyOf(withPhotos(), at(path))).toEqual([404, '{"error":"No se encontró el archivo"}']);
    },
  );

  test("of an unknown document", async () => {
    expect(await bodyOf(withPhotos(), "/api/v2/signers/nobody/photos/c1/selfie/1")).toEqual([
      404,
      '{"error":"No se encontró el id de seguimiento"}',
    ]);
  });

  test("is where the event log links to, whatever the integrator's id looks like", async () => {
    const made = world();
    request(made, documentId, "a/b c?#ñ%");
    made.history.add("SelfieUploaded", { data: { file: made.file(documentId, "photo", "image/jpeg") } });
    made.history.add("SelfieValidated");
    const { events } = (await made.get(`/api/eventLogs/${documentId}`)).json();
    const { pathname } = new URL(events[0].link);
    expect((await made.get(pathname)).body).toBe("photo");
  });

  test("when it can't be read", async () => {
    const made = withPhotos();
    made.state.failing = "files";
    expect(await bodyOf(made, at("c1/selfie/1"))).toEqual([500, '{"error":"Error al obtener la foto"}']);
  });
});
