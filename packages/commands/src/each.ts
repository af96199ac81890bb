/** Does `work` for each item, at most `concurrency` at a time, in order of beginning. Begins no more once one rejected. */
export const forEach = async <Item>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> => {
  const entries = items.entries();
  let failed = false;
  const worker = async (): Promise<void> => {
    // The workers share one iterator.
    for (const [index, item] of entries) {
      if (failed) return;
      await work(item, index).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }
  };
  const workers = Array.from({ length: Math.min(concurrency, items.length) }, worker);
  const failure = (await Promise.allSettled(workers)).find(({ status }) => status === "rejected");
  if (failure?.status === "rejected") throw failure.reason;
};
