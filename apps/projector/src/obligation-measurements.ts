import type { ObligationKind } from "@rubrica/domain";
import type { Host, Measured, Measurements } from "@rubrica/hosting";
import {
  LAST,
  type ObligationsCollection,
  type OpenObligationRecord,
  OWED_FIELD,
  obligationsCollections,
  owedKey,
} from "@rubrica/read-models";
import { remembered, yieldToOthers } from "@rubrica/runtime";

/** Records that are read in one iteration of the event loop. */
const PAGE = 200;
/** Open obligations of a kind that are counted; beyond these, the number makes no difference. */
const MOST_OF_A_KIND = 10_000;
/** Looking takes some reads: both metrics come from one look, which is remembered for so long. */
const REMEMBERED_MS = 5_000;

const states = ["due", "failing", "scheduled"] as const;

/** What is open of a kind. */
interface Backlog {
  kind: ObligationKind;
  counts: Record<(typeof states)[number], number>;
  /** Since when the oldest of what is due is due. */
  oldestMs: number | undefined;
}

/** What is owed, by kind: how much of it, in what state, and for how long the oldest has been due. */
export const obligationMeasurements = ({
  engines: { readModels },
  runtime: { clock },
}: Pick<Host, "runtime"> & { engines: Pick<Host["engines"], "readModels"> }): Measurements => {
  const backlogs = remembered(clock, REMEMBERED_MS, async () => {
    const nowMs = clock.now();
    const found: Backlog[] = [];
    for (const collection of obligationsCollections) {
      for (const kind of collection.kinds) found.push(await backlogOf(readModels, collection, kind, nowMs));
    }
    return { nowMs, found };
  });
  return {
    obligations: async () =>
      (await backlogs()).found.flatMap(({ kind, counts }) =>
        states.map((state): Measured => ({ labels: { kind, state }, value: counts[state] })),
      ),
    oldestObligation: async () => {
      const { nowMs, found } = await backlogs();
      return found.map(({ kind, oldestMs = nowMs }) => ({ labels: { kind }, value: (nowMs - oldestMs) / 1_000 }));
    },
  };
};

const backlogOf = async (
  readModels: Pick<Host["engines"]["readModels"], "findRange">,
  collection: ObligationsCollection,
  kind: ObligationKind,
  nowMs: number,
): Promise<Backlog> => {
  const backlog: Backlog = { kind, counts: { due: 0, failing: 0, scheduled: 0 }, oldestMs: undefined };
  let after: string | undefined = owedKey(kind, "");
  for (let seen = 0; after !== undefined && seen < MOST_OF_A_KIND; ) {
    const range = { after, upTo: owedKey(kind, LAST), limit: PAGE };
    const page: { document: OpenObligationRecord }[] = await readModels.findRange<OpenObligationRecord>(
      collection,
      OWED_FIELD,
      range,
    );
    for (const { document } of page) take(backlog, document, nowMs);
    seen += page.length;
    after = page.length === PAGE ? page.at(-1)?.document.due : undefined;
    await yieldToOthers();
  }
  return backlog;
};

const take = (backlog: Backlog, { obligation: { dueAt, reason } }: OpenObligationRecord, nowMs: number): void => {
  const dueMs = Date.parse(dueAt);
  const isDue = dueMs <= nowMs;
  backlog.counts[reason !== null ? "failing" : isDue ? "due" : "scheduled"] += 1;
  if (isDue) backlog.oldestMs = Math.min(backlog.oldestMs ?? dueMs, dueMs);
};
