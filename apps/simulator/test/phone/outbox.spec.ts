import { systemRuntime } from "@rubrica/runtime";
import { expect, test } from "vitest";
import { Outbox } from "../../src/phone/outbox.ts";
import type { PendingNotice, SimulatorStore } from "../../src/phone/store.ts";

const notice: PendingNotice = {
  number: 1,
  notice: { kind: "delivered", providerMessageId: "sim.1", messageId: "m", at: 0 },
  attempts: 0,
  dueAt: 0,
};
const full = (): never => {
  throw new Error("database or disk is full");
};

test.each(["nextNotices", "postponeNotice"])(
  "a store whose %s fails is tried again, and takes nothing else down",
  async (broken) => {
    const { clock, ...rest } = systemRuntime();
    const taken: number[] = [];
    let failing = true;
    let kept = [notice];
    const fallible = <Result>(name: string, work: () => Result) => (failing && name === broken ? full() : work());
    const store = {
      nextNotices: () => fallible("nextNotices", () => kept),
      removeNotice: () => {
        kept = [];
      },
      postponeNotice: () => fallible("postponeNotice", () => undefined),
    } as Partial<SimulatorStore> as SimulatorStore;
    const waits: (() => void)[] = [];
    const patient = {
      ...clock,
      wait: (_ms: number, { signal }: { signal?: AbortSignal | undefined } = {}) =>
        new Promise<void>((resolve) => {
          waits.push(resolve);
          signal?.addEventListener("abort", () => resolve());
        }),
    };
    const given = Promise.withResolvers<void>();
    const outbox = new Outbox({
      store,
      runtime: { ...rest, clock: patient },
      onNotice: async ({ at }) => {
        taken.push(at);
        // Where the store can't postpone, the service refuses first.
        if (failing && broken === "postponeNotice") throw new Error("not now");
      },
      onTaken: () => kept.length === 0 && given.resolve(),
    });
    while (waits.length === 0) await new Promise(setImmediate);
    failing = false;
    while (kept.length > 0) {
      for (const go of waits.splice(0)) go();
      outbox.wake();
      await new Promise(setImmediate);
    }
    await given.promise;
    expect(taken.length).toBeGreaterThan(0);
    await outbox.close();
  },
);
