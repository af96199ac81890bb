import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Observation, Order, Surroundings } from "./bystander.ts";

const BYSTANDER = join(import.meta.dirname, "bystander.ts");

/** The probe, the neighbour and the scales beside an attacked service, all in a process of their own. */
export interface Bystanders {
  /** What they saw while the work was done. */
  observe<Result>(work: () => Promise<Result>): Promise<{ seen: Observation; result: Result }>;
  /** Whose memory is weighed from now on: the process that took the place of one that ended. */
  watch(pid: number): void;
  end(): void;
}

export const startBystanders = async (around: Surroundings): Promise<Bystanders> => {
  const child = fork(BYSTANDER, { stdio: "inherit" });
  const order = (what: Order | Surroundings) => child.send(what);
  const ready = once(child, "message");
  order(around);
  await ready;
  return {
    async observe(work) {
      order("begin");
      try {
        const result = await work();
        const told = once(child, "message");
        order("end");
        const [seen] = (await told) as [Observation];
        return { seen, result };
      } catch (error) {
        const told = once(child, "message");
        order("end");
        await told;
        throw error;
      }
    },
    watch: (pid) => order({ pid }),
    end: () => child.disconnect(),
  };
};
