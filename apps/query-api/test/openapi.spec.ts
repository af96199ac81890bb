import { createHttpServer, createLogger, openApi } from "@rubrica/http";
import { systemRuntime } from "@rubrica/runtime";
import { expect, test } from "vitest";
import { type QueryApiDependencies, queryApi } from "../src/index.ts";

test("every route is described: what for, parameters, answers by status, with examples", async () => {
  const runtime = systemRuntime();
  const app = createHttpServer({ runtime, logger: createLogger({ clock: runtime.clock, level: "silent" }) });
  await app.register(openApi, { title: "Rubrica", description: "d", version: "1" });
  await app.register(queryApi({ clock: runtime.clock, publicUrl: "https://r.example" } as QueryApiDependencies));
  const { paths } = (await app.inject("/openapi.json")).json();
  expect(Object.keys(paths).sort()).toEqual([
    "/api/eventLogs/{id_seguimiento}",
    "/api/v2/documents/{id_seguimiento}",
    "/api/v2/reporte/{id_seguimiento}",
    "/api/v2/signatureStatus/{id_seguimiento}",
    "/api/v2/signers/{id_seguimiento}/metadata",
    "/api/v2/signers/{id_seguimiento}/photos/{id_custom}/{kind}/{attempt}",
    "/files/{file}",
  ]);
  for (const [path, { get }] of Object.entries<{ get: Record<string, unknown> }>(paths)) {
    const isPublic = path === "/files/{file}";
    const name = isPublic ? "file" : "id_seguimiento";
    expect(get).toMatchObject({
      summary: expect.any(String),
      description: expect.any(String),
      parameters: expect.arrayContaining([expect.objectContaining({ name, in: "path" })]),
    });
    expect(get.security).toEqual(isPublic ? undefined : [{ apiKey: [] }]);
    const responses = get.responses as Record<string, { description: string; content: Record<string, object> }>;
    expect(Object.keys(responses)).toEqual(isPublic ? ["200", "404", "500"] : ["200", "401", "403", "404", "500"]);
    for (const { description, content } of Object.values(responses)) {
      expect(description).not.toBe("Default Response");
      const [mediaType, media] = Object.entries(content)[0] ?? [];
      if (mediaType === "application/json") expect(JSON.stringify(media)).toContain("example");
    }
  }
});
