import {
  LAST,
  type OpenObligationRecord,
  OWED_FIELD,
  obligationsCollections,
  type ReadModelStore,
} from "@rubrica/read-models";
import { type Command, InvalidArgumentError } from "commander";
import { type Fields, textOf } from "./output.ts";
import { type Surroundings, withStoredSession } from "./session.ts";

const PAGE = 500;
const MINUTE_MS = 60_000;
const DEFAULT_MINUTES = 10;
const MAX_MINUTES = 525_600;

const minutes = (text: string): number => {
  const amount = Number(text);
  if (!/^\d+$/.test(text) || amount > MAX_MINUTES) {
    throw new InvalidArgumentError(`It is a whole number from 0 to ${MAX_MINUTES}.`);
  }
  return amount;
};

/** Everything that is owed, kind by kind, account by account, the earliest first. */
const allOwed = async function* (readModels: ReadModelStore): AsyncGenerator<OpenObligationRecord> {
  for (const collection of obligationsCollections) {
    for (let after: string | undefined = ""; after !== undefined; ) {
      const range = { after, upTo: LAST, limit: PAGE };
      const page: { document: OpenObligationRecord }[] = await readModels.findRange(collection, OWED_FIELD, range);
      for (const { document } of page) yield document;
      after = page.length === PAGE ? page.at(-1)?.document.due : undefined;
    }
  }
};

const ownerOf = (record: OpenObligationRecord): Fields => {
  if ("bulkId" in record) return { bulk_id: record.bulkId };
  if ("headsId" in record) return { heads_id: record.headsId };
  return "noticesId" in record ? { notices_id: record.noticesId } : { document_id: record.documentId };
};

const fieldsOf = (record: OpenObligationRecord): Fields => {
  const { accountId, obligation } = record;
  const { kind, dueAt, attempts, reason } = obligation;
  return { kind, ...ownerOf(record), account_id: accountId, due: dueAt, attempts, reason };
};

/** `obligations stuck`. */
export const obligationCommands = (program: Command, surroundings: Surroundings): void => {
  const obligations = program.command("obligations").description("look at what has to be done still");

  obligations
    .command("stuck")
    .description("print what is owed and overdue, or failed before, with its attempts and the last one's reason")
    .option("--overdue <minutes>", "how long after it was due", minutes, DEFAULT_MINUTES)
    .option("--json", "print each as one line of JSON")
    .action(async ({ overdue, json = false }: { overdue: number; json?: boolean }) => {
      await withStoredSession(surroundings, async ({ readModels, runtime: { clock } }) => {
        const boundMs = clock.now() - overdue * MINUTE_MS;
        let count = 0;
        for await (const record of allOwed(readModels)) {
          const { dueAt, reason } = record.obligation;
          if (reason === null && Date.parse(dueAt) >= boundMs) continue;
          count += 1;
          await surroundings.print(json ? textOf(fieldsOf(record), true) : `${textOf(fieldsOf(record), false)}\n`);
        }
        if (!json) await surroundings.print(`${count} stuck.`);
      });
    });
};
