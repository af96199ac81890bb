import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { WebhookType } from "@rubrica/events";
import type { HttpServer } from "@rubrica/http";
import { EXAMPLE_SECRET } from "@rubrica/outbound/webhooks";
import { repository } from "@rubrica/test-kit";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Webhook } from "standardwebhooks";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { serviceInProcess } from "../support/service.ts";

/** Where Fastify tells of each server that is made, before its routes are. */
const SERVERS = "fastify.initialization";

interface Media {
  schema: Parameters<typeof z.fromJSONSchema>[0];
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}
interface Message {
  description?: string;
  content?: Record<string, Media>;
}
interface Operation {
  operationId: string;
  tags?: string[];
  summary?: string;
  description?: string;
  security?: object[];
  parameters?: { name: string; description?: string; in: string }[];
  requestBody?: Message & { required: boolean };
  responses: Record<string, Message>;
}
interface Description {
  openapi: string;
  servers: object[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<
    string,
    { post: Omit<Operation, "parameters"> & { parameters: { name: string; example: string }[] } }
  >;
}

/** What the service says of itself, and each of its routes that is not hidden. */
const describedService = async () => {
  const routes: string[] = [];
  const listRoutes = (message: unknown) => {
    const { fastify } = message as { fastify: HttpServer };
    fastify.addHook("onRoute", ({ method, url, schema }) => {
      const isHidden = schema !== undefined && "hide" in schema && schema.hide === true;
      for (const each of [method].flat()) if (each !== "HEAD" && !isHidden) routes.push(`${each} ${url}`);
    });
  };
  subscribe(SERVERS, listRoutes);
  await using service = await serviceInProcess();
  unsubscribe(SERVERS, listRoutes);
  const description = (await service.client.send("GET", "/openapi.json")).json<Description>();
  return { description, routes };
};

/** Every operation, and the statuses that it may answer with. */
const statuses = {
  "GET /livez": [200],
  "GET /readyz": [200, 503],
  "POST /api/v2/documentSet": [200, 400, 401, 403, 408, 409, 413, 415, 429, 500, 503],
  "POST /api/documentSet": [200, 400, 401, 403, 408, 409, 413, 415, 429, 500, 503],
  "POST /api/sendCargaMasiva": [200, 400, 401, 403, 408, 409, 413, 415, 429, 500, 503],
  "PUT /api/account/changeBusinessName": [200, 400, 401, 403, 404, 408, 413, 415, 429, 500, 503],
  "GET /api/eventLogs/{id_seguimiento}": [200, 401, 403, 404, 429, 500, 503],
  "GET /api/v2/documents": [200, 400, 401, 403, 429, 500, 503],
  "GET /api/v2/documents/{id_seguimiento}": [200, 401, 403, 404, 410, 429, 500, 503],
  "GET /api/v2/documents/{id_seguimiento}/sent": [200, 401, 403, 404, 410, 429, 500, 503],
  "GET /api/v2/reporte/{id_seguimiento}": [200, 401, 403, 404, 429, 500, 503],
  "GET /api/v2/signatureStatus/{id_seguimiento}": [200, 401, 403, 404, 429, 500, 503],
  "GET /api/v2/signers/{id_seguimiento}/metadata": [200, 401, 403, 404, 410, 429, 500, 503],
  "GET /api/v2/signers/{id_seguimiento}/photos/{id_custom}/{kind}/{attempt}": [200, 401, 403, 404, 410, 429, 500, 503],
  "GET /api/v2/documents/{id_seguimiento}/webhooks": [200, 401, 403, 404, 429, 500, 503],
  "GET /api/v2/analytics/funnel": [200, 400, 401, 403, 429, 500, 503],
  "GET /api/v2/webhooks": [200, 400, 401, 403, 429, 500, 503],
  "POST /api/v2/documents/{id_seguimiento}/webhooks/{webhook_id}/redeliver": [
    202, 400, 401, 403, 404, 408, 409, 410, 429, 500, 503,
  ],
  "PATCH /api/v2/documents/{id_seguimiento}": [200, 400, 401, 403, 404, 408, 409, 413, 415, 429, 500, 503],
  "POST /api/v2/documents/{id_seguimiento}/cancel": [200, 400, 401, 403, 404, 408, 409, 413, 415, 429, 500, 503],
  "POST /api/v2/documents/{id_seguimiento}/signers/{id_custom}/resend": [
    200, 400, 401, 403, 404, 408, 409, 429, 500, 503,
  ],
  "PATCH /api/v2/documents/{id_seguimiento}/signers/{id_custom}": [
    200, 400, 401, 403, 404, 408, 409, 413, 415, 429, 500, 503,
  ],
  "PUT /api/v2/webhooks/events": [200, 400, 401, 403, 408, 413, 415, 429, 500, 503],
  "POST /api/v2/webhooks/test": [200, 400, 401, 403, 408, 413, 415, 429, 500, 503],
  "GET /files/{file}": [200, 404, 410, 429, 500, 503],
  "POST /api/verify": [200, 400, 408, 413, 415, 429, 500, 503],
  "GET /pki/ca.crt": [200],
  "GET /pki/ca.crl": [200],
  "GET /pki/heads": [200, 400, 429, 500, 503],
  "GET /api/signing/{token}": [200, 404, 410, 429, 500],
  "GET /api/signing/{token}/document": [200, 404, 409, 410, 429, 500],
  "GET /api/signing/{token}/signed": [200, 404, 410, 429, 500],
  "POST /api/signing/{token}/opened": [200, 400, 404, 408, 410, 413, 415, 429, 500, 503],
  "POST /api/signing/{token}/photos/{kind}": [200, 400, 404, 408, 409, 410, 413, 415, 429, 500, 503],
  "POST /api/signing/{token}/sign": [200, 400, 404, 408, 409, 410, 413, 415, 429, 500, 503],
  "POST /api/signing/{token}/reject": [200, 400, 404, 408, 409, 410, 413, 415, 429, 500, 503],
} as const;

/** The answers that there are in two forms, of which `Accept` chooses. */
const twofold: Readonly<Record<string, readonly string[]>> = {
  "POST /api/verify 200": ["application/json", "application/pdf"],
  "GET /api/v2/analytics/funnel 200": ["application/json", "text/csv"],
};

const operationsOf = ({ paths }: Description) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  );

const statusesOf = (description: Description) =>
  Object.fromEntries(
    operationsOf(description).map(({ name, operation }) => [name, Object.keys(operation.responses).map(Number)]),
  );

const examplesOf = ({ example, examples }: Media): unknown[] =>
  examples ? Object.values(examples).map(({ value }) => value) : example === undefined ? [] : [example];

/** The examples that are not as their schema says; all of them, when there is none. */
const wrongExamples = ({ content = {} }: Message) => {
  const json = content["application/json"];
  if (!json) return [];
  const schema = z.fromJSONSchema(json.schema);
  const examples = examplesOf(json);
  if (examples.length === 0) return ["no example"];
  return examples.flatMap((example) => schema.safeParse(example).error?.issues ?? []);
};

let description: Description;
let routes: string[];
beforeAll(async () => {
  ({ description, routes } = await describedService());
});

test("the description is valid OpenAPI 3.1, by the OpenAPI Initiative's own schema", async () => {
  expect(description.openapi).toMatch(/^3\.1\.\d+$/);
  expect(await new Validator().validate({ ...description })).toEqual({ valid: true });
});

test("query-api has the same description in a file, for where apps run apart", () => {
  const { servers: _, ...described } = description;
  const kept = readFileSync(join(repository, "apps/query-api/src/pages/openapi.json"), "utf8");
  // When this differs: node apps/query-api/generate.ts
  expect(JSON.parse(kept)).toEqual(described);
});

test("every route is described but those for people", () => {
  const described = operationsOf(description).map(({ name }) => name);
  expect(described.sort()).toEqual(routes.map((route) => route.replace(/:(\w+)/g, "{$1}")).sort());
});

test("each operation names its answers by status, errors too, and none for all", () => {
  expect(statusesOf(description)).toEqual(statuses);
});

test("each operation is in a group that says what it is for, documents first", () => {
  const groups = description.tags.map(({ name }) => name);
  expect(groups[0]).toBe("documents");
  const used = operationsOf(description).flatMap(({ operation }) => operation.tags ?? ["none"]);
  used.push(...Object.values(description.webhooks).flatMap(({ post }) => post.tags ?? ["none"]));
  expect(new Set(used)).toEqual(new Set(groups));
});

test("each operation has a name of its own, to generate clients by", () => {
  const names = operationsOf(description).map(({ operation }) => operation.operationId);
  expect(names.filter((name) => !/^[a-z]\w+$/i.test(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});

describe.each(Object.keys(statuses))("%s", (name) => {
  const operation = () => {
    const found = operationsOf(description).find((each) => each.name === name)?.operation;
    if (!found) throw new Error("not described");
    return found;
  };

  test("says what it is for, and what its parameters are", () => {
    const { summary, description: text, parameters = [] } = operation();
    expect([summary, text]).toEqual([expect.stringMatching(/\w/), expect.stringMatching(/\w/)]);
    expect(parameters.filter((parameter) => !parameter.description)).toEqual([]);
  });

  test("shows a body that can be sent", () => {
    const { requestBody } = operation();
    expect(requestBody ? wrongExamples(requestBody) : []).toEqual([]);
  });

  test("shows and describes each answer", () => {
    for (const [status, answer] of Object.entries(operation().responses)) {
      expect(answer.description, status).not.toBe("Default Response");
      const forms = twofold[`${name} ${status}`];
      if (forms) expect(Object.keys(answer.content ?? {})).toEqual(forms);
      else expect(Object.keys(answer.content ?? {}), status).toHaveLength(1);
      expect(wrongExamples(answer), status).toEqual([]);
    }
  });
});

describe.each(["alert", "report", "msg", "rejection"])("the webhook %s", (name) => {
  const operation = () => {
    const found = description.webhooks[name]?.post;
    if (!found) throw new Error("not described");
    return found;
  };

  test("says what it is for, and shows what is sent", () => {
    const { summary, description: text, requestBody } = operation();
    expect([summary, text]).toEqual([expect.stringMatching(/\w/), expect.stringMatching(/\w/)]);
    expect(requestBody && wrongExamples(requestBody)).toEqual([]);
    expect(requestBody?.content?.["application/json"]?.example).toMatchObject({ type: name });
  });

  test("shows a signature that the example's secret verifies, by Standard Webhooks' own library", () => {
    const { parameters, requestBody } = operation();
    const headers = Object.fromEntries(parameters.map(({ name: header, example }) => [header, example]));
    const body = JSON.stringify(requestBody?.content?.["application/json"]?.example);
    const signedAt = Number(headers["webhook-timestamp"]) * 1_000;
    vi.setSystemTime(signedAt);
    try {
      const verifier = new Webhook(EXAMPLE_SECRET);
      expect(verifier.verify(body, headers)).toMatchObject({ type: name });
      expect(() => verifier.verify(`${body} `, headers)).toThrow();
    } finally {
      vi.useRealTimers();
    }
  });
});

test("what webhooks there are is what is described", () => {
  expect(Object.keys(description.webhooks)).toEqual(WebhookType.options);
});
