// A process of its own beside the attacked service: asks as a monitor and as another account do, counts what is answered,
// and weighs the service's memory. What attacks can be as busy as it likes without keeping it from that.
import { systemClock } from "@rubrica/runtime";
import { eventually, saysNotYet } from "@rubrica/test-kit";
import { KINDS, type Kind, type Neighbour, ordinaryRequests } from "./neighbour.ts";
import { officeBytes, treeBytes } from "./process-tree.ts";
import { type Sent, send } from "./requests.ts";

const PROBE_EVERY_MS = 50;
const MEMORY_EVERY_MS = 250;
const NEIGHBOUR_PAUSE_MS = 100;
const NEIGHBOUR_ADDRESS = "127.0.0.3";

/** What a bystander is told about the service. */
export interface Surroundings {
  url: string;
  pid: number;
  neighbour: Neighbour;
}

/** How it went while it looked on. Times are for the benches alone: no test judges by them. */
export interface Observation {
  /** Each answer's time, of `/livez` and of each kind of ordinary requests. */
  livezMs: number[];
  neighbourMs: Record<Kind, number[]>;
  /** What was answered other than 200, as `request: 503`. */
  refused: string[];
  /** The most that the process tree held, LibreOffice apart, and the most that one LibreOffice held, in bytes. */
  peakBytes: number;
  officePeakBytes: ReturnType<typeof officeBytes>;
}

/** What it is told later. It answers each order when that is done: `end` with an observation. */
export type Order = "begin" | "hush" | "resume" | "end" | { pid: number };

const empty = (): Observation => ({
  livezMs: [],
  neighbourMs: { request: [], status: [], file: [], page: [] },
  refused: [],
  peakBytes: 0,
  officePeakBytes: { native: 0, wasm: 0 },
});

class Bystander {
  readonly #url: string;
  readonly #requests: ReturnType<typeof ordinaryRequests>;
  #pid: number;
  #seen = empty();
  #looks = false;
  #hushed = false;
  /** What is under way, by what it is. */
  readonly #underWay = new Map<string, Promise<void>>();

  constructor({ url, pid, neighbour }: Surroundings) {
    this.#url = url;
    this.#pid = pid;
    this.#requests = ordinaryRequests(neighbour);
    void this.#every("livez", PROBE_EVERY_MS, () => this.#probe());
    void this.#every("weigh", MEMORY_EVERY_MS, () => this.#weigh());
    void this.#every("neighbour", NEIGHBOUR_PAUSE_MS, () => this.#ask(this.#requests.next()));
  }

  async obey(order: Order): Promise<Observation | "done"> {
    if (order === "begin") {
      this.#seen = empty();
      this.#looks = true;
    } else if (order === "hush") {
      this.#hushed = true;
      await this.#underWay.get("neighbour");
    } else if (order === "resume") this.#hushed = false;
    else if (order === "end") return await this.#end();
    else this.#pid = order.pid;
    return "done";
  }

  async #end(): Promise<Observation> {
    this.#looks = false;
    this.#hushed = false;
    await Promise.all(this.#underWay.values());
    // However short it was: each kind is asked once at least.
    for (const kind of KINDS) if (this.#seen.neighbourMs[kind].length === 0) await this.#ask(kind);
    await Promise.all([this.#probe(), this.#weigh()]);
    return this.#seen;
  }

  async #every(what: string, pauseMs: number, work: () => Promise<void>): Promise<void> {
    for (;;) {
      if (this.#looks && !(what === "neighbour" && this.#hushed)) {
        const working = work();
        this.#underWay.set(what, working);
        await working;
        this.#underWay.delete(what);
      }
      await systemClock.wait(pauseMs);
    }
  }

  async #probe(): Promise<void> {
    const { status, ms } = await send(this.#url, { path: "/livez" });
    this.#seen.livezMs.push(ms);
    if (status !== 200) this.#seen.refused.push(`/livez: ${status}`);
  }

  async #ask(kind: Kind): Promise<void> {
    const sent = { ...this.#requests.make(kind), from: NEIGHBOUR_ADDRESS };
    const { status, ms, text } = await this.#answered(sent);
    this.#seen.neighbourMs[kind].push(ms);
    if (status !== 200) this.#seen.refused.push(`a neighbour's ${kind}: ${status} ${text.slice(0, 200)}`);
  }

  /** As an integrator asks: again while read models are behind. All of that is what the neighbour waits. */
  async #answered(sent: Sent): Promise<{ status: number; text: string; ms: number }> {
    const startedMs = systemClock.monotonicMs();
    const answer = await eventually(`an answer to a neighbour's ${sent.path}`, async () => {
      const { status, body } = await send(this.#url, sent);
      const text = body.toString();
      return !saysNotYet({ status, text }) && { status, text };
    });
    return { ...answer, ms: systemClock.monotonicMs() - startedMs };
  }

  async #weigh(): Promise<void> {
    this.#seen.peakBytes = Math.max(this.#seen.peakBytes, treeBytes(this.#pid));
    const { native, wasm } = officeBytes(this.#pid);
    const before = this.#seen.officePeakBytes;
    this.#seen.officePeakBytes = { native: Math.max(before.native, native), wasm: Math.max(before.wasm, wasm) };
  }
}

process.once("disconnect", () => process.exit(0));
process.once("message", (around: Surroundings) => {
  const bystander = new Bystander(around);
  process.on("message", async (order: Order) => process.send?.(await bystander.obey(order)));
  process.send?.("ready");
});
