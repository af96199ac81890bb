import swagger, { type StaticDocumentSpec } from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import fastifyPlugin from "fastify-plugin";
import { jsonSchemaTransform, jsonSchemaTransformObject } from "fastify-type-provider-zod";
import { z } from "zod";
import { API_KEY_SCHEME } from "./auth.ts";
import type { HttpServer } from "./server.ts";

export interface OpenApiOptions {
  title: string;
  /** Markdown. */
  description: string;
  version: string;
  /** Groups of endpoints, in the order in which people should meet them; default: as routes come. */
  tags?: { name: string; description: string }[];
  /** Where integrators reach the service; default: where the description came from. */
  publicUrl?: string;
  /** What others are sent, by name: OpenAPI 3.1's `webhooks`, each a path item. */
  webhooks?: Readonly<Record<string, object>>;
}

/** A whole description, as `GET /openapi.json` gives it. */
export type DescribedApi = StaticDocumentSpec["document"] & { info: { title: string } };

/** Everything from here, nothing inline but styles, which Swagger UI sets on elements. */
const REFERENCE_CSP =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** zod leaves out the examples of a schema that transforms, as they could be of either side: a body's are what is sent. */
const withBodyExamples: typeof jsonSchemaTransform = (route) => {
  const described = jsonSchemaTransform(route);
  const { body } = route.schema ?? {};
  const examples = body instanceof z.ZodType ? body.meta()?.examples : undefined;
  return Array.isArray(examples)
    ? { ...described, schema: { ...described.schema, body: { ...Object(described.schema.body), examples } } }
    : described;
};

type Described = ReturnType<typeof jsonSchemaTransform>;
interface Media {
  schema: { examples?: unknown[] };
}

/** Of an answer that names its media types, the schemas go out as they are: their examples are the media types'. */
const withMediaExamples = (described: Described): Described => {
  // What is hidden, or has no schema, is described by nothing.
  if (!described.schema?.response) return described;
  const answers = Object.entries(described.schema.response as Record<string, { content?: object }>);
  const response = answers.map(([status, answer]) => [
    status,
    answer.content ? { ...answer, content: exemplified(answer.content) } : answer,
  ]);
  return { ...described, schema: { ...described.schema, response: Object.fromEntries(response) } };
};

const exemplified = (content: object): object => {
  const media = Object.entries(content as Record<string, Media>).map(([type, { schema }]) => {
    const { examples = [], ...rest } = schema;
    const named = examples.map((value, index) => [`example${index + 1}`, { value }]);
    return [type, { schema: rest, ...(named.length > 0 ? { examples: Object.fromEntries(named) } : {}) }];
  });
  return Object.fromEntries(media);
};

/**
 * `GET /openapi.json`, the OpenAPI 3.1 description of every route that is registered after this with a `schema`, and
 * `GET /reference`, the same for people, from the service's own files. Register and await it before the routes.
 */
export const openApi = fastifyPlugin(async (app: HttpServer, options: OpenApiOptions) => {
  const { title, description, version, tags = [], publicUrl, webhooks } = options;
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: { title, description, version },
      tags,
      ...(webhooks ? { webhooks: { ...webhooks } } : {}),
      ...(publicUrl ? { servers: [{ url: publicUrl }] } : {}),
      components: {
        securitySchemes: { [API_KEY_SCHEME]: { type: "apiKey", in: "header", name: "x-api-key" } },
      },
    },
    transform: (route) => withMediaExamples(withBodyExamples(route)),
    transformObject: jsonSchemaTransformObject,
  });
  await servePages(app, title);
});

/** The same pages, of a description that was made before, of routes that other processes may serve. */
export const openApiOf = fastifyPlugin(async (app: HttpServer, { document }: { document: DescribedApi }) => {
  await app.register(swagger, { mode: "static", specification: { document } });
  await servePages(app, document.info.title);
});

const servePages = async (app: HttpServer, title: string): Promise<void> => {
  app.addHook("onRoute", (route) => {
    if (route.url.startsWith("/reference/static/")) route.config = { ...route.config, countedBy: "nobody" };
  });
  await app.register(swaggerUi, {
    routePrefix: "/reference",
    staticCSP: REFERENCE_CSP,
    theme: { title },
    uiConfig: {
      // Without the bar for other descriptions than this one.
      layout: "BaseLayout",
      docExpansion: "list",
      persistAuthorization: false,
      tryItOutEnabled: true,
      validatorUrl: null,
    },
  });
  app.get("/openapi.json", { schema: { hide: true } }, async () => app.swagger());
};
