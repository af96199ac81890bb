import { quarantined, type SetAsideRecord } from "@rubrica/read-models";
import type { Command } from "commander";
import { type Surroundings, withStoredSession } from "./session.ts";

const lineOf = ({ stream, revision, at, reason }: SetAsideRecord): string =>
  `${stream}  from revision ${revision} on${at === null ? "" : `, of ${at}`}: ${reason}`;

const jsonOf = ({ stream, revision, reason, at, accountId }: SetAsideRecord): string =>
  JSON.stringify({ stream, revision: Number(revision), reason, since: at, account_id: accountId });

/** `quarantine`. */
export const quarantineCommand = (program: Command, surroundings: Surroundings): void => {
  program
    .command("quarantine")
    .description("list the streams that are set aside, since they hold an event that can't be read")
    .option("--json", "print one line of JSON for each")
    .action(async ({ json = false }: { json?: boolean }) => {
      await withStoredSession(surroundings, async ({ readModels }) => {
        let count = 0;
        for await (const record of quarantined(readModels)) {
          count += 1;
          await surroundings.print(json ? jsonOf(record) : lineOf(record));
        }
        if (json) return;
        if (count === 0) await surroundings.print("No stream is set aside.");
        else
          await surroundings.print(
            `${count} set aside. Once they are mended, \`rubrica rebuild\` takes them up again.`,
          );
      });
    });
};
