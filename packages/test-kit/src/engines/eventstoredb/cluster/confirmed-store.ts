import type { EventBatch, EventStore } from "@rubrica/event-store";
import { LeadershipLost, type Member } from "./member.ts";

/**
 * The leader's store as its clients see it: nothing is told to anybody before another member has it too. Its methods
 * throw {@link LeadershipLost} where it does not lead any more.
 */
export const confirmedStore = (store: EventStore, member: Member): EventStore => ({
  append: (stream, expected, events) => member.write(() => store.append(stream, expected, events)),
  async *readStream(stream, from) {
    await member.confirmed();
    yield* store.readStream(stream, from);
  },
  async readLast(stream) {
    await member.confirmed();
    return store.readLast(stream);
  },
  async streamEnd(stream) {
    await member.confirmed();
    return store.streamEnd(stream);
  },
  async *readAll(after, options) {
    await member.confirmed();
    yield* store.readAll(after, options);
  },
  async *readHashes(after) {
    await member.confirmed();
    yield* store.readHashes(after);
  },
  async *subscribeToAll(options): AsyncGenerator<EventBatch, void, undefined> {
    const { leading } = member;
    const signal = AbortSignal.any([options.signal, leading]);
    for await (const batch of store.subscribeToAll({ ...options, signal })) {
      await member.confirmed();
      yield batch;
    }
    if (leading.aborted) throw new LeadershipLost();
  },
  async lastPosition() {
    await member.confirmed();
    return store.lastPosition();
  },
  close: () => store.close(),
});
