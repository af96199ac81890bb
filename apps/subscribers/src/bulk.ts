import { type BulkStores, continueBulk, forgetBulkRows } from "@rubrica/commands";
import type { DocxConverter } from "@rubrica/docx";
import { type PublishedBulkObligation, type PublishedObligation, refundCredits } from "@rubrica/domain";
import { type PrepareDependencies, prepareSubscriber } from "./prepare.ts";
import { type AnySubscriber, contextOf, LONG_WORK_MS } from "./subscriber.ts";

const CREDITS_A_ROW = 1;
// A call works on many rows at a time by itself.
const CALLS_AT_A_TIME = 2;
const CONCURRENCY = 4;

export type BulkDependencies = BulkStores &
  Omit<PrepareDependencies, "converter"> & {
    /** Undefined where no office program can be run: rows wait until there is one. */
    converter: DocxConverter | undefined;
  };

/**
 * Brings bulk calls to their end: goes on with those that were cut, prepares their rows, forgets them, and pays back what
 * can't be prepared.
 */
export const bulkSubscribers = ({ converter, ...dependencies }: BulkDependencies): AnySubscriber[] => [
  ...(converter ? [prepareSubscriber({ ...dependencies, converter })] : []),
  {
    kind: "continue-bulk",
    concurrency: CALLS_AT_A_TIME,
    longestMs: LONG_WORK_MS,
    async meet(published: PublishedBulkObligation) {
      await continueBulk(dependencies, published.bulkId, contextOf(published, "bulk"));
    },
  },
  {
    kind: "forget-rows",
    concurrency: CONCURRENCY,
    longestMs: LONG_WORK_MS,
    async meet(published: PublishedBulkObligation) {
      await forgetBulkRows(dependencies, published.bulkId, contextOf(published, "bulk"));
    },
  },
  {
    kind: "refund",
    concurrency: CONCURRENCY,
    async meet(published: PublishedObligation) {
      const { documentId, accountId } = published;
      const command = { documentId, amount: CREDITS_A_ROW };
      await dependencies.handlers.accounts.handle(accountId, refundCredits, command, contextOf(published, "bulk"));
    },
  },
];
