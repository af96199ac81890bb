import type { ReadModelStore } from "./port.ts";
import { QUARANTINE_STREAM_FIELD, QUARANTINE_UNNAMED_FIELD, quarantine, unnamedKey } from "./projections/quarantine.ts";
import type { SetAsideRecord } from "./set-aside.ts";

const PAGE = 500;
/** After every stream's name, in the order of the index. */
const LAST = "\u{10ffff}";

/** Every stream that is set aside, in the order of their names. */
export async function* quarantined(
  readModels: Pick<ReadModelStore, "findRange">,
): AsyncGenerator<SetAsideRecord, void, undefined> {
  let after: string | undefined;
  for (;;) {
    const range = { after, upTo: LAST, limit: PAGE };
    const found = await readModels.findRange<SetAsideRecord>(quarantine, QUARANTINE_STREAM_FIELD, range);
    for (const { document } of found) yield document;
    if (found.length < PAGE) return;
    after = found.at(-1)?.document.stream;
  }
}

/** Whether any stream is set aside whose name begins so. */
export const anyQuarantined = async (
  readModels: Pick<ReadModelStore, "findRange">,
  streamPrefix: string,
): Promise<boolean> => {
  const range = { after: streamPrefix, upTo: `${streamPrefix}${LAST}`, limit: 1 };
  return (await readModels.findRange(quarantine, QUARANTINE_STREAM_FIELD, range)).length > 0;
};

/**
 * A set-aside document of one of these accounts, or of an unknown account, whose request can't be read at all. Any
 * `id_custom` that is not known may be of it.
 */
export const unnamedOf = async (
  readModels: Pick<ReadModelStore, "findRange">,
  accountIds: readonly string[],
): Promise<SetAsideRecord | undefined> => {
  for (const accountId of [null, ...accountIds]) {
    const range = { after: unnamedKey(accountId, ""), upTo: unnamedKey(accountId, LAST), limit: 1 };
    const [found] = await readModels.findRange<SetAsideRecord>(quarantine, QUARANTINE_UNNAMED_FIELD, range);
    if (found) return found.document;
  }
};
