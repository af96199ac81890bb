import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { EngineProcess } from "../engines/index.ts";

/** What may befall an engine beneath the apps. */
export type EngineFault =
  | "killed as a whole"
  | "silent as a whole"
  | "one server of it killed"
  | "one server of it silent"
  | "cut on the wire"
  | "halved on the wire"
  | "late on the wire"
  | "its stream deleted";

/** A fault that befell an engine in a run of tests. */
export interface NotedFault {
  engine: string;
  fault: EngineFault;
}

/** Says to who runs the tests, by the file that RUBRICA_TEST_FAULTS names, that a fault befell an engine. */
export const noteFault = (engine: string, fault: EngineFault): void => {
  const { RUBRICA_TEST_FAULTS: notes } = process.env;
  if (notes) appendFileSync(notes, `${JSON.stringify({ engine, fault } satisfies NotedFault)}\n`);
};

/** What was noted in that file; nothing where no fault befell any engine. */
export const notedFaults = (path: string): NotedFault[] =>
  existsSync(path)
    ? readFileSync(path, "utf8")
        .split("\n")
        .filter(Boolean)
        .map((line): NotedFault => JSON.parse(line))
    : [];

/** The same engine, which notes that it was killed or silenced once it was. */
export const noting = <Engine extends EngineProcess>(name: string, engine: Engine): Engine => ({
  ...engine,
  async kill() {
    await engine.kill();
    noteFault(name, "killed as a whole");
  },
  async silence() {
    await engine.silence();
    noteFault(name, "silent as a whole");
  },
});
