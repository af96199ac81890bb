import { createFairLimiter, type FairLimiter, type QueueLimits } from "@rubrica/helpers";
import type { Clock } from "@rubrica/runtime";
import { isWholePdf, type Office, type OfficeProcess, UnreadableDocx } from "./office.ts";
import { ConversionFailed, type ConversionFailure, type DocxConverter } from "./port.ts";

/** How office programs are watched. */
export interface Supervision {
  clock: Clock;
  /** How many run at once. */
  processes: number;
  /** For one document, in one attempt. */
  timeoutMs: number;
  /** Of one process, in MB. */
  memoryMb: number;
  /** How many documents may wait. */
  waiting: QueueLimits;
  /** For a process to be ready. */
  startTimeoutMs: number;
  /** After so many documents a process gives way to a fresh one: office programs leak. */
  documentsPerProcess: number;
  /** A process without work for so long ends, and gives its memory back. */
  idleMs: number;
}

/** Room for a process; empty until it is needed, and after its process failed. */
interface Slot {
  process: OfficeProcess | undefined;
  converted: number;
  idle: AbortController;
}

/** Attempts on warm processes, before the document gets one of its own. */
const ATTEMPTS = 2;
/** How often a process's memory is looked at while it converts. */
const SAMPLE_MS = 100;

/**
 * Converts on warm processes that are not to be trusted: one that hangs, crashes or gives an empty file is killed, and
 * its document is tried on a fresh one, then on one of its own.
 */
export class SupervisedConverter implements DocxConverter {
  readonly engine: Office["engine"];
  readonly #office: Office;
  readonly #supervision: Supervision;
  readonly #slots: Slot[];
  readonly #free: Slot[];
  readonly #limiter: FairLimiter;
  readonly #closing = new AbortController();
  readonly #busy = new Set<Promise<unknown>>();

  constructor(office: Office, supervision: Supervision) {
    this.engine = office.engine;
    this.#office = office;
    this.#supervision = supervision;
    this.#slots = Array.from({ length: supervision.processes }, () => ({
      process: undefined,
      converted: 0,
      idle: new AbortController(),
    }));
    this.#free = [...this.#slots];
    const { clock, processes: width, waiting: queue } = supervision;
    this.#limiter = createFairLimiter({ clock, name: "an office program", width, queue });
  }

  async convert(docx: Uint8Array, caller: string): Promise<Uint8Array> {
    if (this.#closing.signal.aborted) throw new ConversionFailed("closed");
    const conversion = this.#limiter.run(() => this.#convertInSlot(docx), caller);
    this.#busy.add(conversion);
    try {
      return await conversion;
    } finally {
      this.#busy.delete(conversion);
    }
  }

  async close(): Promise<void> {
    // Those who wait come at once then, and find it closed.
    this.#closing.abort();
    await Promise.allSettled(this.#busy);
    await Promise.all(this.#slots.map((slot) => this.#empty(slot)));
    await this.#office.close();
  }

  async #convertInSlot(docx: Uint8Array): Promise<Uint8Array> {
    const slot = this.#free.pop();
    if (!slot || this.#closing.signal.aborted) throw new ConversionFailed("closed");
    slot.idle.abort();
    try {
      return await this.#tryHarder(slot, docx);
    } finally {
      if (slot.converted >= this.#supervision.documentsPerProcess) await this.#empty(slot);
      this.#rest(slot);
    }
  }

  async #tryHarder(slot: Slot, docx: Uint8Array): Promise<Uint8Array> {
    const { convertOnce } = this.#office;
    let failure: ConversionFailure = "crashed";
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const outcome = await this.#attempt(() => this.#convertAt(slot, docx));
      if (typeof outcome !== "string") return outcome;
      failure = outcome;
      if (failure === "unreadable" || failure === "closed") throw new ConversionFailed(failure);
      await this.#empty(slot);
      if (failure === "too_large") throw new ConversionFailed(failure);
      // One that takes so long is not worth both other attempts.
      if (failure === "hung" && convertOnce) break;
    }
    if (!convertOnce) throw new ConversionFailed(failure);
    const outcome = await this.#attempt(() =>
      this.#undoneAfter(this.#supervision.timeoutMs, (signal) => convertOnce(docx, signal)),
    );
    if (typeof outcome !== "string") return outcome;
    throw new ConversionFailed(outcome);
  }

  /** What came of one attempt: a whole PDF, or why there is none. */
  async #attempt(work: () => Promise<Uint8Array>): Promise<Uint8Array | ConversionFailure> {
    try {
      const pdf = await work();
      return isWholePdf(pdf) ? pdf : "empty";
    } catch (error) {
      if (this.#closing.signal.aborted) return "closed";
      if (error instanceof UnreadableDocx) return "unreadable";
      if (error instanceof OutOfMemory) return "too_large";
      return error instanceof OutOfTime ? "hung" : "crashed";
    }
  }

  async #convertAt(slot: Slot, docx: Uint8Array): Promise<Uint8Array> {
    const { startTimeoutMs, timeoutMs } = this.#supervision;
    slot.process ??= await this.#undoneAfter(startTimeoutMs, (signal) => this.#office.start(signal));
    const { process } = slot;
    slot.converted++;
    const converting = process.convert(docx);
    return this.#within(timeoutMs, Promise.race([converting, this.#overgrown(process, converting)]));
  }

  /** Rejects as soon as the process takes more memory than it may, while it works on something. */
  async #overgrown(process: OfficeProcess, working: Promise<unknown>): Promise<never> {
    const ended = new AbortController();
    const { signal } = ended;
    const end = () => ended.abort();
    working.then(end, end);
    const { clock, memoryMb } = this.#supervision;
    while (!signal.aborted && !this.#closing.signal.aborted) {
      if (process.memoryMb() > memoryMb) throw new OutOfMemory();
      await clock.wait(SAMPLE_MS, { signal: AbortSignal.any([signal, this.#closing.signal]), background: true });
    }
    return new Promise<never>(() => undefined);
  }

  /** Work that undoes itself when its signal is aborted: after a while, or when the converter closes. */
  async #undoneAfter<T>(limitMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const over = new AbortController();
    const working = work(over.signal);
    try {
      return await this.#within(limitMs, working);
    } catch (error) {
      over.abort();
      await Promise.allSettled([working]);
      throw error;
    }
  }

  /** What is worked on, unless it takes too long, or the converter closes. */
  async #within<T>(limitMs: number, working: Promise<T>): Promise<T> {
    const ended = new AbortController();
    const signal = AbortSignal.any([ended.signal, this.#closing.signal]);
    const timeUp = this.#supervision.clock.wait(limitMs, { signal, background: true }).then(() => {
      throw new OutOfTime();
    });
    try {
      return await Promise.race([working, timeUp]);
    } finally {
      ended.abort();
    }
  }

  async #empty(slot: Slot): Promise<void> {
    const { process } = slot;
    slot.process = undefined;
    slot.converted = 0;
    slot.idle.abort();
    await process?.kill();
  }

  /** Frees the slot, and ends its process unless it is needed again soon. */
  #rest(slot: Slot): void {
    slot.idle = new AbortController();
    this.#free.push(slot);
    const { signal } = slot.idle;
    if (!slot.process) return;
    this.#supervision.clock
      .wait(this.#supervision.idleMs, { signal, background: true })
      .then(() => (signal.aborted ? undefined : this.#empty(slot)));
  }
}

/** The program took longer than it may. */
class OutOfTime extends Error {}
/** The program held more memory than it may. */
class OutOfMemory extends Error {}
