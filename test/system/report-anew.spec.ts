import { readdirSync } from "node:fs";
import { join } from "node:path";
import { eventually, samplePdf, sampleSigner } from "@rubrica/test-kit";
import { expect, test } from "vitest";
import { serviceInProcess } from "../support/service.ts";

test("the legal report is rendered on every call, and kept nowhere", async () => {
  await using service = await serviceInProcess();
  const { client, dataDir } = service;
  const { id_seguimiento, urls } = await client.requestDocument(await samplePdf(), [sampleSigner(1)]);
  await client.sign(urls[0]?.link ?? "");
  const report = async () => {
    const { status, bytes } = await client.read(`/api/v2/reporte/${id_seguimiento}`);
    return status === 200 && bytes;
  };
  const filesKept = () => readdirSync(join(dataDir, "files"), { recursive: true }).length;
  const first = await eventually("the report", report);
  const kept = filesKept();
  const second = await report();
  expect(second).not.toEqual(first);
  expect([kept > 0, filesKept()]).toEqual([true, kept]);
});
