import { expect, test } from "vitest";
import { ReceiverBusyError, ReceiverQueues } from "../../src/webhooks/receiver-queues.ts";

const AT_ONCE = 8;
const WAITING = 24;

test("a receiver is sent 8 at a time, 24 more wait, and the next is refused", async () => {
  const queues = new ReceiverQueues(new AbortController().signal);
  const begun: (() => void)[] = [];
  const run = (receiver: string) => queues.run(receiver, () => new Promise((end) => begun.push(end)));
  const taken = Array.from({ length: AT_ONCE + WAITING }, () => run("a"));
  await expect(run("a")).rejects.toThrow(ReceiverBusyError);
  expect(begun).toHaveLength(AT_ONCE);
  taken.push(run("b"));
  expect(begun).toHaveLength(AT_ONCE + 1);
  begun[0]?.();
  await taken[0];
  taken.push(run("a"));
  await expect(run("a")).rejects.toThrow(ReceiverBusyError);
  const all = Promise.all(taken);
  for (let next = 1; next < taken.length; next += 1) {
    begun[next]?.();
    await new Promise(setImmediate);
  }
  await all;
  expect(begun).toHaveLength(taken.length);
});

test("what waits is begun no more once the service stops", async () => {
  const stopping = new AbortController();
  const queues = new ReceiverQueues(stopping.signal);
  let begun = 0;
  const works = Array.from({ length: AT_ONCE + 1 }, () =>
    queues.run("a", () => {
      begun += 1;
      return new Promise(() => undefined);
    }),
  );
  stopping.abort(new Error("stopping"));
  await expect(works.at(-1)).rejects.toThrow("stopping");
  expect(begun).toBe(AT_ONCE);
});
