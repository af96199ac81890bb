import { sample } from "@rubrica/events";
import { describe, expect, test } from "vitest";
import { bodyOf, halfSigned } from "./half-signed.ts";
import { world } from "./world.ts";

const { documentId } = sample;

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

test.each(["biometric", "photos", "link"] as const)(
  "the event log names the authentication: %s",
  async (authentication) => {
    const made = world();
    made.history.add("DocumentRequested", { data: { authentication } });
    expect((await made.get(`/api/eventLogs/${sample.documentId}`)).json().autenticacion).toBe(authentication);
  },
);
