import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { followWarningsOf } from "@rubrica/test-kit/warnings";
import type { Observation, Order, Surroundings } from "./bystander.ts";

const BYSTANDER = join(import.meta.dirname, "bystander.ts");

/** The probe, the neighbour and the scales beside an attacked service, all in a process of their own. */
export interface Bystanders extends AsyncDisposable {
  /** From now on they look on, until `end` tells what they saw. */
  begin(): Promise<void>;
  end(): Promise<Observation>;
  /** The neighbour asks nothing from then on: what an attack alone costs can be measured. */
  hush(): Promise<void>;
  resume(): Promise<void>;
  /** Whose memory is weighed from now on: the process that took the place of one that ended. */
  watch(pid: number): Promise<void>;
}

export const startBystanders = async (around: Surroundings): Promise<Bystanders> => {
  const child = fork(BYSTANDER, { execArgv: ["--trace-warnings"], stdio: ["ignore", "inherit", "pipe", "ipc"] });
  followWarningsOf("bystanders", child, true);
  const closed = once(child, "close");
  const tell = async (what: Order | Surroundings): Promise<unknown> => {
    const answered = once(child, "message");
    child.send(what);
    return (await answered)[0];
  };
  const done = async (order: Order) => void (await tell(order));
  await tell(around);
  return {
    begin: () => done("begin"),
    end: async () => (await tell("end")) as Observation,
    hush: () => done("hush"),
    resume: () => done("resume"),
    watch: (pid) => done({ pid }),
    [Symbol.asyncDispose]: async () => {
      // Not by leaving it alone: the runtime tells of no end of a process whose channel was cut.
      child.kill();
      await closed;
    },
  };
};
