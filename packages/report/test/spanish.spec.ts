import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "@rubrica/test-kit";
import { expect, test } from "vitest";
import { spanish } from "../src/spanish.ts";

/** What subscribers call themselves in the events that they write. */
const services = new Set(
  globSync("apps/subscribers/src/**/*.ts", { cwd: repository }).flatMap((path) =>
    [...readFileSync(join(repository, path), "utf8").matchAll(/contextOf\(published, "(\w+)"\)/g)].map(
      ([, name = ""]) => name,
    ),
  ),
);

test("there is a word for each part of the service that writes events of documents", () => {
  expect(services.size).toBeGreaterThan(5);
  const ofNoDocument = new Set(["heads"]);
  expect([...services].filter((name) => !ofNoDocument.has(name) && !(name in spanish.log.services))).toEqual([]);
});
