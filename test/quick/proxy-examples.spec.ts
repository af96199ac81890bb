import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "@rubrica/test-kit";
import { examplePath, routeTable } from "@rubrica/test-kit/deployment";
import { expect, test } from "vitest";

// The proxies that stand in the repository send each route to the app that serves it, by the table of architecture.md.

const read = (path: string): string => readFileSync(join(repository, path), "utf8");
const operations = read("docs/operations.md");

/** Where a request goes, by its path or its method alone; the first that matches holds. */
type Rule = { matches: (path: string, method: string) => boolean; to: string };

const ANY = { matches: () => true };
const NOBODY = "404";
/** The ports of the examples by hand. */
const PORTS: Readonly<Record<string, string>> = {
  3001: "command-api",
  3002: "query-api",
  3003: "signing-web",
  3004: "verify-web",
};

/** A path of Caddy's `path`: a star at the end alone stands for anything, others for one part of a path. */
const caddyPath = (pattern: string): RegExp =>
  pattern.indexOf("*") === pattern.length - 1
    ? new RegExp(`^${pattern.slice(0, -1)}`)
    : new RegExp(`^${pattern.replaceAll("*", "[^/]*")}$`);

const caddyRules = (text: string, targetOf: (name: string) => string | undefined): Rule[] =>
  [...text.matchAll(/@([\w-]+) (path|method) (.+)/g)].map(([, name = "", by, matched = ""]) => {
    const to = targetOf(name) ?? "nowhere";
    if (by === "method") return { matches: (_path, method) => method === matched, to };
    const patterns = matched.split(" ").map(caddyPath);
    return { matches: (path) => patterns.some((pattern) => pattern.test(path)), to };
  });

const inContainers = (): Rule[] => {
  const text = read("docker/Caddyfile");
  const targetOf = (block: string) => (block.includes("respond 404") ? NOBODY : /\bname ([\w-]+)/.exec(block)?.[1]);
  const blocks = new Map(
    [...text.matchAll(/\n\thandle(?: @([\w-]+))? \{([\s\S]*?)\n\t\}/g)].map(([, name = "", block = ""]) => [
      name,
      targetOf(block),
    ]),
  );
  return [...caddyRules(text, (name) => blocks.get(name)), { ...ANY, to: blocks.get("") ?? "nowhere" }];
};

const caddyByHand = (): Rule[] => {
  const [text = ""] = /^sign\.example\.com \{[\s\S]*?\n\}/m.exec(operations) ?? [];
  const proxied = new Map(
    [...text.matchAll(/reverse_proxy (?:@([\w-]+) )?127\.0\.0\.1:(\d+)/g)].map(([, name = "", port = ""]) => [
      name,
      PORTS[port],
    ]),
  );
  const targetOf = (name: string) => (text.includes(`respond @${name} 404`) ? NOBODY : proxied.get(name));
  return [...caddyRules(text, targetOf), { ...ANY, to: proxied.get("") ?? "nowhere" }];
};

/** Expressions come before prefixes, in their order; of prefixes the longest holds. */
const nginxByHand = (): Rule[] => {
  const locations = [
    ...operations.matchAll(/^ {2}location (~ )?(\S+)\s+\{ (?:proxy_pass http:\/\/([\w$-]+)|return (404));/gm),
  ];
  const [, map = ""] = /^map \$request_method \$reads_or_changes \{([\s\S]*?)\n\}/m.exec(operations) ?? [];
  const byMethod = new Map([...map.matchAll(/(\w+)\s+([\w-]+);/g)].map(([, method = "", app = ""]) => [method, app]));
  const expressions = locations.filter(([, isExpression]) => isExpression);
  const prefixes = locations
    .filter(([, isExpression]) => !isExpression)
    .toSorted(([, , a = ""], [, , b = ""]) => b.length - a.length);
  return [
    ...expressions.map(([, , pattern = "", app, status]) => ({
      matches: (path: string) => new RegExp(pattern).test(path),
      to: app ?? status ?? "nowhere",
    })),
    ...prefixes.flatMap(([, , prefix = "", app]) => {
      const matches = (path: string) => path.startsWith(prefix);
      if (app !== "$reads_or_changes") return [{ matches, to: app ?? "nowhere" }];
      const changes = (path: string, method: string) => matches(path) && byMethod.has(method);
      return [
        { matches: changes, to: byMethod.get("PATCH") ?? "nowhere" },
        { matches, to: byMethod.get("default") ?? "nowhere" },
      ];
    }),
  ];
};

const byHand = routeTable.filter(({ app }) => app !== "simulator");

test.each([
  ["docker/Caddyfile", inContainers, routeTable],
  ["operations.md, Caddy", caddyByHand, byHand],
  ["operations.md, nginx", nginxByHand, byHand],
] as const)("%s sends each route to its app, and nobody to what is each app's own", (_where, rulesOf, routes) => {
  const rules = rulesOf();
  const goes = (method: string, path: string) => rules.find((rule) => rule.matches(path, method))?.to;
  const wanted = routes.map(({ method, path, app }) => [method, examplePath(path), app]);
  wanted.push(...["/livez", "/readyz", "/metrics"].map((path) => ["GET", path, NOBODY]));
  expect(wanted.map(([method = "", path = ""]) => [method, path, goes(method, path)])).toEqual(wanted);
});
