import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { HttpError, notFoundBody } from "./errors.ts";

const ESCAPED = /[.*+?^${}()|[\]\\]/g;

/** The paths that a route's address stands for: `:name` is one segment, a `*` at the end all that follows. */
const patternOf = (address: string): RegExp => {
  const segments = address.split("/").map((segment) => {
    if (segment.startsWith(":")) return "[^/]+";
    return segment === "*" ? ".*" : segment.replace(ESCAPED, "\\$&");
  });
  return new RegExp(`^${segments.join("/")}$`);
};

/**
 * Answers requests without a route: 405 with `Allow` where other methods have one, else 404. To be called before routes
 * are registered.
 */
export const unroutedAnswers = (
  app: FastifyInstance,
): ((request: FastifyRequest, reply: FastifyReply) => HttpError) => {
  const routes = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  app.addHook("onRoute", ({ url, method }) => {
    const route = routes.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    for (const name of [method].flat()) route.methods.add(name);
    routes.set(url, route);
  });
  return ({ url }, reply) => {
    const path = url.split("?", 1)[0] ?? "";
    const allowed = [...routes.values()].flatMap(({ pattern, methods }) => (pattern.test(path) ? [...methods] : []));
    if (allowed.length === 0) return new HttpError(404, notFoundBody);
    reply.header("allow", [...new Set(allowed)].sort().join(", "));
    return new HttpError(405, { error: "Method not allowed" });
  };
};
