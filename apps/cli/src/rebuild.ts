import type { JournalEvent } from "@rubrica/journal";
import { rebuildProjections } from "@rubrica/projector/running";
import { projectionNames, projectionsBy } from "@rubrica/read-models";
import { reasonOf, StoreFileError } from "@rubrica/storage/sqlite/failure";
import { type Command, InvalidArgumentError } from "commander";
import { progressTeller } from "./progress.ts";
import { type Session, type Surroundings, withStoredSession } from "./session.ts";

const projectionName = (name: string): string => {
  if (projectionNames.includes(name)) return name;
  throw new InvalidArgumentError(`It is one of ${projectionNames.join(", ")}.`);
};

/** `rebuild`. */
export const rebuildCommand = (program: Command, surroundings: Surroundings): void => {
  program
    .command("rebuild")
    .description("build read models anew from the events, beside the live ones, then swap them in")
    .argument("[projection]", "one of them; all of them when left out", projectionName)
    .action(async (wanted: string | undefined) => {
      const rebuild = () => withStoredSession(surroundings, (session) => rebuildIn(session, surroundings, wanted));
      try {
        await rebuild();
      } catch (error) {
        if (!isDamage(error)) throw error;
        // The file was found damaged while it was used: it is made anew, empty, when it is opened again.
        await surroundings.print(
          "The read models' file is damaged and is made anew. A service that runs is to be restarted then.",
        );
        await rebuild();
      }
    });
};

const rebuildIn = async (
  { journal, events, readModels, customIdHmac, runtime: { clock } }: Session,
  { print }: Surroundings,
  wanted: string | undefined,
): Promise<void> => {
  const startedMs = clock.monotonicMs();
  const chosen = projectionsBy(customIdHmac).filter(({ name }) => wanted === undefined || name === wanted);
  const last = await events.lastPosition();
  await rebuildProjections<JournalEvent>({
    projections: chosen,
    store: readModels,
    subscribe: (after, signal) => journal.subscribe({ after, signal }),
    signal: new AbortController().signal,
    ...(last ? { onProgress: progressTeller({ clock, last, print: (line) => void print(line) }) } : {}),
  });
  const seconds = ((clock.monotonicMs() - startedMs) / 1000).toFixed(1);
  await print(`Rebuilt ${chosen.map(({ name }) => name).join(", ")} in ${seconds} s.`);
};

/** Only the read models' engine gives SQLite's own errors: other files' damage is said in their own sentences. */
const isDamage = (error: unknown): boolean =>
  !(error instanceof StoreFileError) && reasonOf(error)?.failure === "corrupt";
