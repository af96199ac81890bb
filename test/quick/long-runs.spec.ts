import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "@rubrica/test-kit";
import { expect, test } from "vitest";
import { longRuns, lookedFor } from "../../scripts/test-long.ts";

test("without arguments each long run looks for what it names", () => {
  expect(longRuns.map((run) => lookedFor(run, []))).toEqual(longRuns.map(({ specs }) => specs));
});

test("with an argument a long run looks for those of its specs alone, and for nothing where there are none", () => {
  const [migrate, whole] = [
    { project: "processes", specs: ["test/system/migrate.spec.ts"], environment: {} },
    { project: "attacks", specs: [], environment: {} },
  ];
  expect(lookedFor(migrate, ["migrate"])).toEqual(["test/system/migrate.spec.ts"]);
  expect(lookedFor(migrate, ["crash"])).toBeUndefined();
  expect(lookedFor(whole, ["crash"])).toEqual(["crash"]);
});

test("each spec of a long run is there, and reads the variable that asks for more", () => {
  const named = longRuns.flatMap(({ specs, environment }) =>
    specs.flatMap((spec) => Object.keys(environment).map((variable) => ({ spec, variable }))),
  );
  expect(named.length).toBeGreaterThan(5);
  const idle = named.filter(
    ({ spec, variable }) => !readFileSync(join(repository, spec), "utf8").includes(`env.${variable}`),
  );
  expect(idle).toEqual([]);
});
