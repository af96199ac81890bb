import { sample } from "@rubrica/events";
import { describe, expect, test } from "vitest";
import { bodyOf, completed, halfSigned } from "./half-signed.ts";
import type { World } from "./world.ts";

const { documentId, otherDocumentId } = sample;

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
