import type { JournalEvent } from "@rubrica/journal";
import { projections, rebuildProjections } from "@rubrica/read-models";
import { type Command, InvalidArgumentError } from "commander";
import { type Surroundings, withSession } from "./session.ts";

const named = (name: string) => {
  const projection = projections.find((one) => one.name === name);
  if (projection) return projection;
  throw new InvalidArgumentError(`It is one of ${projections.map((one) => one.name).join(", ")}.`);
};

/** `rebuild`. */
export const rebuildCommand = (program: Command, surroundings: Surroundings): void => {
  program
    .command("rebuild")
    .description("build read models anew from the events, beside the live ones, then swap them in")
    .argument("[projection]", "one of them; all of them when left out", named)
    .action(async (projection: ReturnType<typeof named> | undefined) => {
      await withSession(surroundings, async ({ journal, readModels, runtime: { clock } }) => {
        const startedMs = clock.monotonicMs();
        const chosen = projection ? [projection] : projections;
        await rebuildProjections<JournalEvent>({
          projections: chosen,
          store: readModels,
          subscribe: (after, signal) => journal.subscribe({ after, signal }),
          signal: new AbortController().signal,
        });
        const seconds = ((clock.monotonicMs() - startedMs) / 1000).toFixed(1);
        await surroundings.print(`Rebuilt ${chosen.map(({ name }) => name).join(", ")} in ${seconds} s.`);
      });
    });
};
