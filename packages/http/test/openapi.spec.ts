import { systemClock } from "@rubrica/runtime";
import { expect, test } from "vitest";
import { z } from "zod";
import { apiKeyAuth, type HttpServer, health, openApi } from "../src/index.ts";
import { directoryOf, loggedServer } from "./support.ts";

const described = async (): Promise<HttpServer> => {
  const { app } = loggedServer();
  await app.register(openApi, {
    title: "Rubrica",
    description: "Signatures",
    version: "2.0.0",
    publicUrl: "https://r.example",
  });
  await app.register(health({ clock: systemClock, checks: {} }));
  await app.register(async (scope) => {
    await scope.register(apiKeyAuth, { directory: directoryOf({}), clock: systemClock });
    scope.get(
      "/api/things/:id",
      {
        schema: {
          summary: "A thing",
          params: z.object({ id: z.string().describe("its id") }),
          response: { 200: z.object({ at: z.string().nullable() }).describe("It is there.") },
        },
      },
      async () => ({ at: null }),
    );
  });
  return app;
};

test("the description is OpenAPI 3.1, made of the routes' zod schemas", async () => {
  const description = (await (await described()).inject("/openapi.json")).json();
  expect(description.openapi).toMatch(/^3\.1\./);
  expect(description.servers).toEqual([{ url: "https://r.example" }]);
  const thing = description.paths["/api/things/{id}"].get;
  expect(thing.security).toEqual([{ apiKey: [] }]);
  expect(thing.parameters).toMatchObject([{ in: "path", name: "id", required: true, schema: { type: "string" } }]);
  expect(thing.responses["200"].description).toBe("It is there.");
  expect(thing.responses["401"].content["application/json"].example).toEqual({ error: "Unauthorized" });
  expect(thing.responses["403"].content["application/json"].example).toEqual({
    error: "Tu API Key se encuentra bloqueada. Por favor contacta a soporte.",
  });
  expect(thing.responses["200"].content["application/json"].schema.properties.at).toEqual({
    type: ["string", "null"],
  });
  expect(description.components.securitySchemes.apiKey).toEqual({ type: "apiKey", in: "header", name: "x-api-key" });
  expect(description.paths["/livez"].get.security).toBeUndefined();
  expect(Object.keys(description.paths)).not.toContain("/openapi.json");
});

test("the reference comes from the service's own files, under a policy that allows no others", async () => {
  const app = await described();
  const page = await app.inject("/reference");
  expect(page.statusCode).toBe(200);
  expect(page.headers["content-security-policy"]).toMatch(/default-src 'none'; script-src 'self';/);
  const addresses = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => String(address));
  expect(addresses.length).toBeGreaterThan(3);
  for (const address of addresses) {
    expect(address).toMatch(/^\/reference\/static\//);
    expect((await app.inject(address)).statusCode).toBe(200);
  }
});
