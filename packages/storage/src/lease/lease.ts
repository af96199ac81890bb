import type { Clock } from "@rubrica/runtime";
import type { LeaseRecord, LeaseStore } from "./port.ts";

/** How often the holder says that it lives, and the others look. */
const BEAT_INTERVAL_MS = 1_000;
const LOOK_INTERVAL_MS = 500;
/** A lease whose beat stood still for so long is taken. */
export const STANDSTILL_MS = 6_000;
/** A holder whose beats were not confirmed for so long must stop: well before another process may take over. */
const VALID_MS = 4_000;
/**
 * How long an ending process tries to release the lease. If the store does not answer, the others wait until the beat
 * has stood still.
 */
const LETTING_GO_MS = 2_000;

/** What one of several processes does at a time. */
export interface Lease {
  /** Whether it is this process' at this moment: what only its holder may do is done only then. */
  isHeld(): boolean;
  /**
   * Waits until the lease is this process', and calls `work`; when it is lost, `work` is to end by its signal, and it waits
   * anew. Ends when `signal` is aborted and `work` has ended; then the lease is let go of, and another process takes it at
   * once. Rejects with what `work` rejects with. To be called once.
   */
  run(work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void>;
}

export interface LeaseOptions {
  store: LeaseStore;
  clock: Clock;
  /** A name that no other process has, and none had before. */
  holder: string;
  /** Told when it is taken, with false when it is lost. */
  onChange?: (isHeld: boolean) => void;
  /** Told who holds it, each time that it is looked at and another process does. */
  onOther?: (holder: string) => void;
  /** Told of every failure of the store; it is tried again. */
  onError: (error: unknown) => void;
}

/** A time for which this process has it. */
interface Holding {
  /** As it was confirmed last. */
  record: LeaseRecord;
  /** The time just before that was sent. */
  atMs: number;
}

/** A record as another process left it, and when it was first seen so, by the own monotonic clock. */
interface Sighting {
  record: LeaseRecord | undefined;
  atMs: number;
}

/**
 * A lease by beats: its holder raises the beat every second; whoever sees it stand still for 6 s, by a clock that only
 * that one process looks at, takes it with a higher epoch. The holder's own time is counted from before its last beat was
 * sent, and ends 2 s earlier: after a pause of any length, also between two lines of code, it knows that it lost it before
 * it does anything.
 */
export const createLease = (options: LeaseOptions): Lease => new BeatingLease(options);

class BeatingLease implements Lease {
  readonly #options: LeaseOptions;
  /** The holding that goes on; undefined while this process does not hold the lease. */
  #holding: Holding | undefined;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  isHeld(): boolean {
    return this.#holding !== undefined && this.#leftMs(this.#holding) > 0;
  }

  async run(work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    const { onChange = () => {} } = this.#options;
    while (!signal.aborted) {
      const holding = await this.#take(signal);
      if (!holding) return;
      if (this.#leftMs(holding) <= 0) continue;
      this.#holding = holding;
      onChange(true);
      try {
        await this.#hold(holding, work, signal);
      } finally {
        this.#holding = undefined;
        onChange(false);
      }
    }
  }

  /** Resolves when it is taken; with nothing when the signal is aborted. */
  async #take(signal: AbortSignal): Promise<Holding | undefined> {
    const { clock } = this.#options;
    let sighting: Sighting | undefined;
    while (!signal.aborted) {
      const looked = await untilAborted(this.#look(sighting), signal);
      if (looked?.holding) return looked.holding;
      sighting = looked?.sighting;
      await clock.wait(LOOK_INTERVAL_MS, { signal, background: true });
    }
  }

  /** Looks once, and takes what nobody holds. */
  async #look(
    before: Sighting | undefined,
  ): Promise<{ sighting?: Sighting | undefined; holding?: Holding | undefined }> {
    const { store, holder, onOther, onError } = this.#options;
    try {
      const lookedMs = this.#nowMs();
      const record = await store.read();
      const sighting = before && isSame(before.record, record) ? before : { record, atMs: this.#nowMs() };
      // The record may still name this process, from an earlier holding that has ended.
      const isFree = !record?.holder || record.holder === holder || lookedMs - sighting.atMs >= STANDSTILL_MS;
      if (!isFree) {
        onOther?.(record.holder ?? "");
        return { sighting };
      }
      const next = { holder, epoch: (record?.epoch ?? 0) + 1, beat: 0 };
      // Taken before sending: the holding may not seem to last longer than others see it.
      const atMs = this.#nowMs();
      return (await store.replace(record, next)) ? { holding: { record: next, atMs } } : { sighting };
    } catch (error) {
      onError(error);
      return { sighting: before };
    }
  }

  /** Works and beats until the work has ended, then lets go, for which a silent store has 2 s. */
  async #hold(holding: Holding, work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const lost = new AbortController();
    const ended = new AbortController();
    const beating = this.#beat(holding, lost, ended.signal);
    const watching = this.#watch(holding, lost, ended.signal);
    try {
      await work(AbortSignal.any([signal, lost.signal]));
    } finally {
      ended.abort();
      await watching;
      const gone = new AbortController();
      const lettingGo = beating.then(() => this.#letGo(holding)).finally(() => gone.abort());
      await Promise.race([lettingGo, clock.wait(LETTING_GO_MS, { signal: gone.signal, background: true })]);
    }
  }

  /** Has the work end in time, also while the store is silent. */
  async #watch(holding: Holding, lost: AbortController, ended: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([ended, lost.signal]);
    while (!signal.aborted) {
      const leftMs = this.#leftMs(holding);
      if (leftMs <= 0) lost.abort();
      else await this.#options.clock.wait(leftMs, { signal, background: true });
    }
  }

  async #beat(holding: Holding, lost: AbortController, ended: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([ended, lost.signal]);
    for (;;) {
      await this.#options.clock.wait(BEAT_INTERVAL_MS, { signal, background: true });
      if (signal.aborted) return;
      if (this.#leftMs(holding) <= 0 || !(await this.#beatOnce(holding))) return lost.abort();
    }
  }

  /** False when another process has taken it. */
  async #beatOnce(holding: Holding): Promise<boolean> {
    const { store, onError } = this.#options;
    try {
      if (await this.#raise(holding, holding.record)) return true;
      // Either another process wrote the record, or this process did and the answer was lost.
      const record = await store.read();
      if (record?.holder !== holding.record.holder || record.epoch !== holding.record.epoch) return false;
      return await this.#raise(holding, record);
    } catch (error) {
      onError(error);
      return true;
    }
  }

  async #raise(holding: Holding, seen: LeaseRecord): Promise<boolean> {
    const atMs = this.#nowMs();
    const record = { ...seen, beat: seen.beat + 1 };
    const isRaised = await this.#options.store.replace(seen, record);
    if (isRaised) Object.assign(holding, { record, atMs });
    return isRaised;
  }

  async #letGo({ record }: Holding): Promise<void> {
    const { store, onError } = this.#options;
    await store.replace(record, { ...record, holder: null }).catch(onError);
  }

  #leftMs({ atMs }: Holding): number {
    return atMs + VALID_MS - this.#nowMs();
  }

  #nowMs(): number {
    return this.#options.clock.monotonicMs();
  }
}

/** What the work gives, or undefined as soon as the signal is aborted. Nothing of it stays on the signal. */
const untilAborted = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> => {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const end = () => resolve(undefined);
  signal.addEventListener("abort", end, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", end);
  }
};

const isSame = (one: LeaseRecord | undefined, other: LeaseRecord | undefined): boolean =>
  one?.holder === other?.holder && one?.epoch === other?.epoch && one?.beat === other?.beat;
