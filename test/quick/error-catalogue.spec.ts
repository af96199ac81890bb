import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { causesByName } from "@rubrica/hosting";
import { answersByClass } from "@rubrica/http";
import { saidAtExit } from "@rubrica/open-engines";
import { repository } from "@rubrica/test-kit";
import { expect, test } from "vitest";

interface ErrorClass {
  name: string;
  /** The file that holds it, below the repository. */
  path: string;
  /** The first sentence of its comment. */
  says: string;
}

const sources = globSync("{packages,apps}/*/src/**/*.ts", { cwd: repository })
  .filter((path) => !/^packages\/test-kit|\/src\/page\//.test(path))
  .toSorted()
  .map((path) => ({ path, code: readFileSync(join(repository, path), "utf8") }));

const sourceOf = (file: string): string => sources.find(({ path }) => path === file)?.code ?? "";

/** A comment's first sentence, without the stars of its lines. */
const firstSentence = (comment: string): string =>
  (/^.*?[.:](?= [A-Z@{]|$)/.exec(comment.replaceAll(/\s*\n \* ?/g, " ").trim())?.[0] ?? comment.trim()).replaceAll(
    "|",
    "\\|",
  );

const classes: ErrorClass[] = sources.flatMap(({ path, code }) =>
  [...code.matchAll(/(?:\/\*\*((?:(?!\*\/).)*?)\*\/\n)?(?:export )?class (\w+)(?:<[^{]*>)? extends \w*Error\b/gs)].map(
    ([, comment = "", name = ""]) => ({ name, path, says: firstSentence(comment) }),
  ),
);

const whereToldApart = ({ name, path }: ErrorClass): string[] =>
  sources
    .filter(({ code }) => new RegExp(`instanceof ${name}\\b|\\binstance\\([^)]*\\b${name}\\b`).test(code))
    .map((source) => source.path)
    .filter((other) => classes.filter((one) => one.name === name).length === 1 || other === path);

/** The rule by which an engine that does not answer is told. */
const outage = /export const isOutage =[^;]*;/.exec(sourceOf("packages/open-engines/src/unreachable.ts"))?.[0] ?? "";

const becomes = ({ name }: ErrorClass): string => {
  const answer = answersByClass.find(({ error }) => error.name === name);
  return [
    answer && `${answer.status} \`${answer.problem}\``,
    saidAtExit.some((error) => error.name === name) && "the sentence that a program ends with",
    ...sources
      .filter(({ code }) => new RegExp(`known: \\[[^\\]]*\\b${name}\\b`).test(code))
      .map(({ path }) => `the sentence that \`${path}\` ends with`),
    new RegExp(`\\b${name}\\b`).test(outage) && "where an engine does not answer, 503 `unreachable`",
    name in causesByName && `the log's cause: "${causesByName[name]}"`,
  ]
    .filter(Boolean)
    .join("; ");
};

const row = (error: ErrorClass): string => {
  const places = whereToldApart(error);
  const otherwise =
    places.length > 0
      ? "what the last column makes of it; else a 500"
      : "what its caller makes of any error; else a 500";
  const cells = [`\`${error.name}\``, error.says, `\`${error.path}\``, becomes(error) || otherwise];
  return `| ${[...cells, places.map((path) => `\`${path}\``).join(", ")].join(" | ")} |`;
};

const decider = "packages/domain/src/decider.ts";
const codes = [...(/type DomainErrorCode =([^;]*);/.exec(sourceOf(decider))?.[1] ?? "").matchAll(/"(\w+)"/g)].map(
  ([, code = ""]) => code,
);

/** Where a code is answered, with the status where it stands beside it. */
const answerOf = (code: string): string[] =>
  sources
    .filter(({ path, code: text }) => path.startsWith("apps/") && new RegExp(`\\b${code}\\b`).test(text))
    .map(({ path, code: text }) => {
      const status = new RegExp(`\\b${code}: \\{ status: (\\d+)`).exec(text)?.[1];
      return `${status ? `${status} by ` : ""}\`${path}\``;
    });

const codeRow = (code: string): string => {
  const decided = sources.filter(
    ({ path, code: text }) =>
      path !== decider && /^packages\/(domain|commands)\//.test(path) && text.includes(`"${code}"`),
  );
  const cells = [`\`${code}\``, decided.map(({ path }) => `\`${path}\``).join(", "), answerOf(code).join(", ")];
  return `| ${cells.join(" | ")} |`;
};

const page = `# Errors

Made from the code by \`test/quick/error-catalogue.spec.ts\`, which fails when this page is not what it makes (\`npm test -- error-catalogue -u\` writes it anew).

What nobody tells apart is answered with a 500 that says nothing of why, and the request's log line has the cause; in a subscriber it is logged, and what was owed is tried again. \`HttpError\` is answered as the route that throws it says. The bodies by name (\`busy\`, \`unreadable\` …) are in \`packages/http/src/error-bodies.ts\`; a route may have its own shape of each.

| Error | What it says | Lives in | What becomes of it by itself | Told apart in |
|---|---|---|---|---|
${classes.map(row).join("\n")}

## Why the domain refuses a command

The codes of \`DomainError\`. A route whose file is not named beside one answers all that its command may be refused for in one way (\`cancel.ts\`, \`change.ts\` and \`redeliver.ts\` in \`apps/command-api/src\` do), or with a 500.

| Code | Refused in | Answered or told apart in |
|---|---|---|
${codes.map(codeRow).join("\n")}
`;

test("the page of errors is made of the code", async () => {
  await expect(page).toMatchFileSnapshot(join(repository, "docs", "errors.md"));
});

test("each error says in its comment what it is", () => {
  expect(classes.filter(({ says }) => says === "").map(({ name }) => name)).toEqual([]);
});
