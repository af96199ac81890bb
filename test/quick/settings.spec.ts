import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defaultOf, type Setting, settings, type VariableName, variableNames } from "@rubrica/config";
import { repository } from "@rubrica/test-kit";
import { expect, test } from "vitest";

const path = join(repository, "docs", "operations.md");
const HEAD = "| variable | default | |\n|---|---|---|\n";

const shown = (name: VariableName): string => {
  const value = defaultOf(name);
  return value === undefined || value === "" || (Array.isArray(value) && value.length === 0) ? "" : `\`${value}\``;
};

const row = ({ names, byDefault = names.map(shown).filter(Boolean).join(", "), says }: Setting): string =>
  [`| ${names.map((name) => `\`${name}\``).join(", ")}`, `${byDefault} | ${says} |`.trimStart()].join(" | ");

test("each variable that is read is told of once", () => {
  const told = settings.flatMap(({ names }) => names);
  expect(told.toSorted()).toEqual(variableNames.toSorted());
});

test("the table of settings is made of what the code says of each (`npm test -- settings -u` writes it anew)", async () => {
  const [before = "", after = ""] = readFileSync(path, "utf8").split(HEAD);
  const rest = after.slice(after.indexOf("\n\n"));
  await expect(before + HEAD + settings.map(row).join("\n") + rest).toMatchFileSnapshot(path);
});
