import { type CommandApiDependencies, commandApi } from "@rubrica/command-api";
import { createHttpServer, createLogger, createRateLimiter, health, openApi } from "@rubrica/http";
import { type MessagingSimulator, simulatorRoutes } from "@rubrica/messaging";
import { type QueryApiDependencies, queryApi } from "@rubrica/query-api";
import { systemRuntime } from "@rubrica/runtime";
import { signingWeb } from "@rubrica/signing-web";
import { startServiceProcess, temporaryFolder } from "@rubrica/test-kit";
import { Validator } from "@seriousme/openapi-schema-validator";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";

const runtime = systemRuntime();
const limits = {
  documentBytes: 20_971_520,
  signers: 50,
  customParametersBytes: 65_536,
  photoBytes: 10_485_760,
  bulkRows: 1_000,
};

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
  summary?: string;
  description?: string;
  security?: object[];
  parameters?: { name: string; description?: string; in: string }[];
  requestBody?: Message & { required: boolean };
  responses: Record<string, Message>;
}
interface Description {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
}

/** The description of all routes, and each route that is not hidden; its handlers are never called. */
const describedApp = async ({ limited = false } = {}) => {
  const routes: string[] = [];
  const app = createHttpServer({ runtime, logger: createLogger({ clock: runtime.clock, level: "silent" }) });
  app.addHook("onRoute", ({ method, url, schema }) => {
    const isHidden = schema !== undefined && "hide" in schema && schema.hide === true;
    for (const each of [method].flat()) if (each !== "HEAD" && !isHidden) routes.push(`${each} ${url}`);
  });
  const limiter = limited ? createRateLimiter({ clock: runtime.clock, perMinute: 1 }) : undefined;
  const common = { clock: runtime.clock, publicUrl: "https://sign.example", limiter };
  await app.register(openApi, { title: "Rubrica", description: "d", version: "1" });
  await app.register(health({ clock: runtime.clock, checks: {} }));
  await app.register(commandApi({ ...common, runtime, limits } as unknown as CommandApiDependencies));
  await app.register(queryApi(common as unknown as QueryApiDependencies));
  await app.register(signingWeb());
  await app.register(simulatorRoutes({ onChange: () => () => undefined } as unknown as MessagingSimulator));
  const description = (await app.inject("/openapi.json")).json<Description>();
  await app.close();
  return { description, routes };
};

/** Every operation, and the statuses that it may answer with. */
const statuses = {
  "GET /livez": [200],
  "GET /readyz": [200, 503],
  "POST /api/v2/documentSet": [200, 400, 401, 403, 409, 413, 500, 503],
  "POST /api/documentSet": [200, 400, 401, 403, 409, 413, 500, 503],
  "POST /api/sendCargaMasiva": [200, 400, 401, 403, 409, 413, 429, 500, 503],
  "PUT /api/account/changeBusinessName": [200, 400, 401, 403, 404, 413, 429, 500],
  "GET /api/eventLogs/{id_seguimiento}": [200, 401, 403, 404, 500],
  "GET /api/v2/documents/{id_seguimiento}": [200, 401, 403, 404, 500],
  "GET /api/v2/signatureStatus/{id_seguimiento}": [200, 401, 403, 404, 500],
  "GET /api/v2/signers/{id_seguimiento}/metadata": [200, 401, 403, 404, 500],
  "GET /api/v2/signers/{id_seguimiento}/photos/{id_custom}/{kind}/{attempt}": [200, 401, 403, 404, 500],
  "GET /files/{file}": [200, 404, 500],
  "GET /api/signing/{token}": [200, 404, 500],
  "GET /api/signing/{token}/document": [200, 404, 409, 500],
  "GET /api/signing/{token}/signed": [200, 404, 500],
  "POST /api/signing/{token}/opened": [200, 400, 404, 413, 500],
  "POST /api/signing/{token}/photos/{kind}": [200, 400, 404, 409, 413, 500],
  "POST /api/signing/{token}/sign": [200, 400, 404, 409, 413, 500],
  "POST /api/signing/{token}/reject": [200, 400, 404, 409, 413, 500],
} as const;

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
  ({ description, routes } = await describedApp());
});

test("the description is valid OpenAPI 3.1, by the OpenAPI Initiative's own schema", async () => {
  expect(description.openapi).toMatch(/^3\.1\.\d+$/);
  expect(await new Validator().validate({ ...description })).toEqual({ valid: true });
});

test("it is what the service serves", async () => {
  using folder = temporaryFolder();
  await using service = await startServiceProcess({ dataDir: folder.path });
  const served = (await (await fetch(`${service.url}/openapi.json`)).json()) as Description;
  expect(served.paths).toEqual(description.paths);
  expect(await new Validator().validate({ ...served })).toEqual({ valid: true });
});

test("every route is described but those for people", () => {
  const described = operationsOf(description).map(({ name }) => name);
  expect(described.sort()).toEqual(routes.map((route) => route.replace(/:(\w+)/g, "{$1}")).sort());
});

test("each operation names its answers by status, errors too, and none for all", () => {
  expect(statusesOf(description)).toEqual(statuses);
});

test("where keys are limited, each operation with a key may answer 429", async () => {
  const limited = statusesOf((await describedApp({ limited: true })).description);
  for (const [name, expected] of Object.entries(statuses)) {
    const withLimit = (expected as readonly number[]).includes(401) ? new Set([...expected, 429]) : expected;
    expect(limited[name], name).toEqual([...withLimit].sort());
  }
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
      expect(Object.keys(answer.content ?? {}), status).toHaveLength(1);
      expect(wrongExamples(answer), status).toEqual([]);
    }
  });
});
