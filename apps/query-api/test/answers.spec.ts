import { sample } from "@rubrica/events";
import { describe, expect, test } from "vitest";
import { fileTokens, hmacOf, request, type World, world } from "./world.ts";

const { documentId, otherDocumentId } = sample;
const other = { signerId: "019aa5c0-0000-7000-8000-000000000052" };
const signedAt = 1_795_273_203;

/** A document of two signers, "c1" and "c2", of whom the second has signed. */
const halfSigned = (): World => {
  const made = world();
  const person = { name: "Ana Paz", idNumber: "30123456", idNumberCountry: "AR", phone: "5491122334455", email: null };
  const placement = { pages: 1, x: 1, y: 1 };
  made.history.add("DocumentRequested", {
    at: "2026-11-21T15:00:00.000Z",
    data: {
      signers: [
        { signerId: sample.signerId, lineId: null, order: 0, group: 0, placement },
        { signerId: other.signerId, lineId: null, order: 1, group: 1, placement },
      ],
    },
    personal: {
      signers: [
        { ...person, idCustom: "c1" },
        { ...person, idCustom: "c2", name: "Li 李" },
      ],
    },
  });
  made.history.add("MessageSent", { at: "2026-11-21T15:00:01.250Z", data: { signerId: other.signerId } });
  const drawingJpeg = made.file(documentId, "drawing", "image/jpeg");
  const data = { signerId: other.signerId, drawingJpeg };
  made.history.add("DocumentSigned", { at: "2026-11-21T15:00:03.999Z", data });
  return made;
};
const completed = (made: World): World => {
  made.history.add("DocumentSigned", { at: "2026-11-21T15:00:09.000Z" });
  made.history.add("DocumentCompleted", { at: "2026-11-21T15:00:09.000Z" });
  return made;
};

const bodyOf = async (made: World, url: string) => {
  const response = await made.get(url);
  return [response.statusCode, response.body];
};

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

describe("the event log", () => {
  test("tells what happened, in order, with signer and phone", async () => {
    const made = halfSigned();
    made.history.add("SelfieValidated", { at: "2026-11-21T15:00:05.000Z", data: { attempt: 2, result: "rejected" } });
    made.history.add("IdDocumentValidated", { at: "2026-11-21T15:00:06.000Z", data: { side: "back" } });
    expect(await bodyOf(made, `/api/eventLogs/${documentId}`)).toEqual([
      200,
      '{"created_at":"2026-11-21T15:00:00.000Z","autenticacion":"link",' +
        `"id_seguimiento":"${documentId}","events":[` +
        '{"event":"document_signed","signer":"Li 李","phone":"5491122334455","timestamp":"2026-11-21T15:00:03.999Z"},' +
        '{"event":"selfie_biometric_validation","signer":"Ana Paz","phone":"5491122334455",' +
        '"timestamp":"2026-11-21T15:00:05.000Z","attempt":2,"result":"rejected",' +
        `"link":"https://sign.example/api/v2/signers/${documentId}/photos/c1/selfie/2"},` +
        '{"event":"dni_biometric_validation","signer":"Ana Paz","phone":"5491122334455",' +
        '"timestamp":"2026-11-21T15:00:06.000Z","attempt":1,"result":"approved",' +
        `"link":"https://sign.example/api/v2/signers/${documentId}/photos/c1/dni_trasera/1"}]}`,
    ]);
  });

  test("by a signer's id is the whole document's", async () => {
    const made = halfSigned();
    expect(await bodyOf(made, "/api/eventLogs/c1")).toEqual(await bodyOf(made, `/api/eventLogs/${documentId}`));
  });

  test("of a forgotten person names nobody", async () => {
    const made = world();
    made.history.add("DocumentRequested", { personal: null });
    made.history.add("SelfieValidated");
    const { events } = (await made.get(`/api/eventLogs/${documentId}`)).json();
    expect(events).toEqual([
      {
        event: "selfie_biometric_validation",
        signer: null,
        phone: null,
        timestamp: "2026-11-21T15:00:02.500Z",
        attempt: 1,
        result: "approved",
      },
    ]);
  });

  test("of an unknown id", async () => {
    expect(await bodyOf(halfSigned(), "/api/eventLogs/nobody")).toEqual([404, '{"error":"Document not found"}']);
  });

  test("when it can't be read", async () => {
    const made = halfSigned();
    made.state.failing = "events";
    expect(await bodyOf(made, `/api/eventLogs/${documentId}`)).toEqual([500, '{"error":"Internal Server Error"}']);
  });
});

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

describe("the legal report", () => {
  const ended = (how: "DocumentSealed" | "Rejected"): World => {
    const made = how === "Rejected" ? halfSigned() : completed(halfSigned());
    made.history.add(how);
    return made;
  };

  test.each([
    ["DocumentSealed", documentId],
    ["DocumentSealed", "c1"],
    ["Rejected", documentId],
  ] as const)("after %s, by %s", async (how, id) => {
    const response = await ended(how).get(`/api/v2/reporte/${id}`);
    expect([response.statusCode, response.headers["content-type"], response.body]).toEqual([
      200,
      "application/pdf",
      `%PDF report of ${documentId}`,
    ]);
  });

  test.each([
    ["while it is open", halfSigned],
    ["before it is sealed", () => completed(halfSigned())],
  ])("%s", async (_when, made) => {
    expect(await bodyOf(made(), `/api/v2/reporte/${documentId}`)).toEqual([
      404,
      '{"error":"No se encontró el informe"}',
    ]);
  });

  test("of an unknown id", async () => {
    expect(await bodyOf(ended("Rejected"), `/api/v2/reporte/${otherDocumentId}`)).toEqual([
      404,
      '{"error":"No se encontró el id de seguimiento"}',
    ]);
  });

  test("when it can't be made", async () => {
    const made = ended("Rejected");
    made.state.failing = "files";
    expect(await bodyOf(made, `/api/v2/reporte/${documentId}`)).toEqual([
      500,
      '{"error":"Error al obtener el informe"}',
    ]);
    expect(made.logText()).not.toContain("secret");
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

describe("an erased document", () => {
  const idCustom = "30123456";
  /** Erased in a process that still has its key, and its files. */
  const erased = (): World => {
    const made = world();
    request(made, documentId, idCustom);
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
