import { readFileSync } from "node:fs";
import { join } from "node:path";

const ARCHITECTURE = join(import.meta.dirname, "..", "..", "..", "..", "docs", "architecture.md");
/** A row of the table: a route, and the app that serves it. */
const ROW = /^\| `([A-Z]+) (\/[^`]*)` \| `([a-z-]+)` \|$/gm;

/** A route, as the server's framework writes it, and the app that serves it. */
export interface RouteRow {
  method: string;
  path: string;
  app: string;
}

/** The table of docs/architecture.md. */
export const routeTable: readonly RouteRow[] = [...readFileSync(ARCHITECTURE, "utf8").matchAll(ROW)].map(
  ([, method = "", path = "", app = ""]) => ({ method, path, app }),
);

/** A path that the route matches; what `/assets/*` holds has names of each build. */
export const examplePath = (path: string, asset = "/assets/page.js"): string =>
  path.replace("/assets/*", asset).replace("/reference/*", "/reference/json").replaceAll(/:\w+/g, "anything");

/** `/a/:b/*` as an expression that matches paths. */
const expressionOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll(/[.]/g, "\\.").replaceAll(/:\w+/g, "[^/]*").replaceAll("*", ".*")}$`);

const rows = routeTable.map(({ method, path, app }) => ({ method, expression: expressionOf(path), app }));

/** The app that serves a request, by its method and its path without a query; undefined where none does. */
export const appFor = (method: string, path: string): string | undefined =>
  rows.find(
    (row) => (row.method === method || (method === "HEAD" && row.method === "GET")) && row.expression.test(path),
  )?.app;
