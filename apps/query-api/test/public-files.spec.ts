import { sample } from "@rubrica/events";
import { createSecrets, publicFileTokens } from "@rubrica/secrets";
import { describe, expect, test } from "vitest";
import { fileTokens, request, type World, world } from "./world.ts";

const { documentId } = sample;
const notThere = [404, '{"error":"No se encontró el archivo"}'];

const completed = (): World => {
  const made = world();
  request(made, documentId, "c1");
  made.history.add("DocumentSigned");
  made.history.add("DocumentCompleted");
  return made;
};
const sealed = (): World => {
  const made = completed();
  made.history.add("DocumentSealed", { data: { file: made.file(documentId, "%PDF", "application/pdf") } });
  return made;
};
const get = async ({ app }: World, file: string) => {
  const { statusCode, body } = await app.inject({ url: `/files/${file}` });
  return [statusCode, body];
};
const addressOf = (kind: "document" | "report", id: string = documentId) =>
  `${fileTokens.make({ documentId: id, kind })}.pdf`;

describe("the public address of a legacy document", () => {
  test("gives the sealed PDF without a key, also before it was projected", async () => {
    const made = sealed();
    const answer = await made.app.inject({ url: `/files/${addressOf("document")}` });
    expect([answer.statusCode, answer.headers["content-type"], answer.body]).toEqual([200, "application/pdf", "%PDF"]);
  });

  test("gives nothing before the document is sealed", async () => {
    expect(await get(completed(), addressOf("document"))).toEqual(notThere);
  });

  test("gives the legal report without a key", async () => {
    const answer = await sealed().app.inject({ url: `/files/${addressOf("report")}` });
    expect([answer.statusCode, answer.headers["content-type"], answer.body]).toEqual([
      200,
      "application/pdf",
      `%PDF report of ${documentId}`,
    ]);
  });

  test("gives no report while there is none", async () => {
    expect(await get(completed(), addressOf("report"))).toEqual([404, '{"error":"No se encontró el informe"}']);
  });

  test("gives nothing of a document that there never was", async () => {
    expect(await get(sealed(), addressOf("document", sample.otherDocumentId))).toEqual(notThere);
  });

  test.each([
    ["the document's id", documentId],
    ["the id as a file", `${documentId}.pdf`],
    ["the token alone", fileTokens.make({ documentId, kind: "document" })],
    ["another ending", `${fileTokens.make({ documentId, kind: "document" })}.png`],
    [
      "another service's token",
      `${publicFileTokens(createSecrets({ current: Buffer.alloc(32, 8) })).make({ documentId, kind: "document" })}.pdf`,
    ],
    ["nothing", ".pdf"],
  ])("can't be guessed: %s", async (_what, file) => {
    expect(await get(sealed(), file)).toEqual(notThere);
  });

  test("fails without saying why", async () => {
    const made = sealed();
    made.state.failing = "files";
    expect(await get(made, addressOf("document"))).toEqual([500, '{"error":"Error al obtener el documento"}']);
  });
});
