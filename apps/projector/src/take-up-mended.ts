import type { Host } from "@rubrica/hosting";
import { type JournalEvent, UnreadableStreamError } from "@rubrica/journal";
import { projectionsBy, quarantined, type SetAsideRecord } from "@rubrica/read-models";
import { rebuildProjections } from "./running/index.ts";

/**
 * Tries the streams that are set aside once. When one of them can be read further now (it was mended, or this version
 * knows what it holds), all read models are built anew beside the live ones, which then know nothing of its having been
 * set aside. Whatever fails is told to the log: `rubrica rebuild` does the same.
 */
export const takeUpMended = async (
  { engines, logger }: Pick<Host, "engines" | "logger">,
  signal: AbortSignal,
): Promise<void> => {
  const { journal, readModels, customIdHmac } = engines;
  try {
    for await (const record of quarantined(readModels)) {
      if (signal.aborted) return;
      if (!(await canBeRead(journal, record))) continue;
      logger.info({ stream: record.stream }, "a stream that was set aside can be read: the read models are built anew");
      await rebuildProjections<JournalEvent>({
        projections: projectionsBy(customIdHmac),
        store: readModels,
        subscribe: (after, ending) => journal.subscribe({ after, signal: ending }),
        signal,
      });
      logger.info("the read models were built anew");
      return;
    }
  } catch (error) {
    if (!signal.aborted) logger.error({ err: error }, "what was set aside could not be taken up again");
  }
};

/** Whether the event at which the stream was set aside can be read now. */
const canBeRead = async (
  journal: Host["engines"]["journal"],
  { stream, revision }: SetAsideRecord,
): Promise<boolean> => {
  const setAsideAt = BigInt(revision);
  try {
    for await (const event of journal.read(stream)) if (event.revision >= setAsideAt) return true;
    return false;
  } catch (error) {
    if (error instanceof UnreadableStreamError) return error.event.revision > setAsideAt;
    throw error;
  }
};
