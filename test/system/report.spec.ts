import { eventually, samplePdf, sampleSigner } from "@rubrica/test-kit";
import { expect, test } from "vitest";
import { inspect } from "../support/inspection.ts";
import { serviceInProcess, type TestService } from "../support/service.ts";

const reportOf = async ({ client }: TestService, id: string) => {
  const { status, headers, bytes, text } = await client.read(`/api/v2/reporte/${id}`);
  const isPdf = bytes.subarray(0, 5).toString("latin1") === "%PDF-";
  return { status, type: headers.get("content-type"), body: isPdf ? "PDF" : text };
};
const pdf = { status: 200, type: "application/pdf", body: "PDF" };
const notThere = { status: 404, body: '{"error":"No se encontró el informe"}' };

/** How often the report of each document was recorded as generated, once it was. */
const generated = (service: TestService, ...ids: string[]): Promise<number[]> =>
  eventually("the reports' events", async () => {
    await using stores = await inspect(service.dataDir);
    const events = (await stores.events()).filter(({ type }) => type === "ReportGenerated");
    const counts = ids.map((id) => events.filter(({ streamId }) => streamId === id).length);
    return counts.every((count) => count > 0) && counts;
  });

test("a document has a legal report from its end on, by its id and by its signer's", async () => {
  await using service = await serviceInProcess();
  const { client } = service;
  const document = await samplePdf();
  const signed = await client.requestDocument(document, [sampleSigner(1)]);
  const rejected = await client.requestDocument(document, [sampleSigner(2)]);
  const open = await client.requestDocument(document, [sampleSigner(3)]);
  expect(await reportOf(service, signed.id_seguimiento)).toMatchObject(notThere);

  await client.sign(signed.urls[0]?.link ?? "");
  await client.reject(rejected.urls[0]?.link ?? "", "No es mi contrato.");
  expect(await generated(service, signed.id_seguimiento, rejected.id_seguimiento)).toEqual([1, 1]);

  expect(await reportOf(service, signed.id_seguimiento)).toEqual(pdf);
  expect(await reportOf(service, signed.urls[0]?.id_custom ?? "")).toEqual(pdf);
  expect(await reportOf(service, rejected.id_seguimiento)).toEqual(pdf);
  expect(await reportOf(service, open.id_seguimiento)).toMatchObject(notThere);
  expect(await reportOf(service, "019aa5c0-0000-7000-8000-0000000000ff")).toMatchObject({
    status: 404,
    body: '{"error":"No se encontró el id de seguimiento"}',
  });
});
