import { HelpersBusy, type QueueLimits } from "@rubrica/helpers";
import type { Clock } from "@rubrica/runtime";
import { isWholePdf, type Office, type OfficeProcess, UnreadableDocx } from "./office.ts";
import { ConversionFailed, type ConversionFailure, type DocxConverter } from "./port.ts";
import { RoundRobin } from "./round-robin.ts";

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

/** A place for a process; empty until it is needed, and after its process failed. */
interface Place {
  process: OfficeProcess | undefined;
  converted: number;
  idle: AbortController;
}

/** Attempts on warm processes, before the document gets one of its own. */
const ATTEMPTS = 2;
/** How often a process's memory is looked at while it converts. */
const SAMPLE_MS = 100;

/** A document that waits: it is given a place, or undefined when the converter closes. */
type Waiter = (place: Place | undefined) => void;

/**
 * Converts on warm processes that are not to be trusted: one that hangs, crashes or gives an empty file is killed, and
 * its document is tried on a fresh one, then on one of its own.
 */
export class SupervisedConverter implements DocxConverter {
  readonly engine: Office["engine"];
  readonly #office: Office;
  readonly #supervision: Supervision;
  readonly #places: Place[];
  readonly #free: Place[];
  readonly #queue: RoundRobin<Waiter>;
  readonly #waiting = new Set<Waiter>();
  readonly #closing = new AbortController();
  readonly #busy = new Set<Promise<unknown>>();

  constructor(office: Office, supervision: Supervision) {
    this.engine = office.engine;
    this.#office = office;
    this.#supervision = supervision;
    this.#places = Array.from({ length: supervision.processes }, () => ({
      process: undefined,
      converted: 0,
      idle: new AbortController(),
    }));
    this.#free = [...this.#places];
    this.#queue = new RoundRobin(supervision.processes, supervision.waiting);
  }

  async convert(docx: Uint8Array, caller: string): Promise<Uint8Array> {
    if (this.#closing.signal.aborted) throw new ConversionFailed("closed");
    const conversion = this.#convertInPlace(docx, caller);
    this.#busy.add(conversion);
    try {
      return await conversion;
    } finally {
      this.#busy.delete(conversion);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const waiter of this.#waiting) waiter(undefined);
    await Promise.allSettled(this.#busy);
    await Promise.all(this.#places.map((place) => this.#empty(place)));
    await this.#office.close();
  }

  async #convertInPlace(docx: Uint8Array, caller: string): Promise<Uint8Array> {
    const place = await this.#placeFor(caller);
    if (!place) throw new ConversionFailed("closed");
    place.idle.abort();
    try {
      return await this.#tryHarder(place, docx);
    } finally {
      if (place.converted >= this.#supervision.documentsPerProcess) await this.#empty(place);
      this.#queue.ended(caller);
      this.#rest(place);
      this.#next();
    }
  }

  #placeFor(caller: string): Promise<Place | undefined> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = (place) => {
        this.#waiting.delete(waiter);
        resolve(place);
      };
      if (!this.#queue.push(caller, waiter))
        return reject(new HelpersBusy("too many documents wait for an office program"));
      this.#waiting.add(waiter);
      this.#next();
    });
  }

  /** Gives free places to those who come next. */
  #next(): void {
    while (this.#free.length > 0 && !this.#closing.signal.aborted) {
      const waiter = this.#queue.take();
      if (!waiter) return;
      waiter(this.#free.pop());
    }
  }

  async #tryHarder(place: Place, docx: Uint8Array): Promise<Uint8Array> {
    const { convertOnce } = this.#office;
    let failure: ConversionFailure = "crashed";
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const outcome = await this.#attempt(() => this.#convertAt(place, docx));
      if (typeof outcome !== "string") return outcome;
      failure = outcome;
      if (failure === "unreadable" || failure === "closed") throw new ConversionFailed(failure);
      await this.#empty(place);
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

  async #convertAt(place: Place, docx: Uint8Array): Promise<Uint8Array> {
    const { startTimeoutMs, timeoutMs } = this.#supervision;
    place.process ??= await this.#undoneAfter(startTimeoutMs, (signal) => this.#office.start(signal));
    const { process } = place;
    place.converted++;
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

  async #empty(place: Place): Promise<void> {
    const { process } = place;
    place.process = undefined;
    place.converted = 0;
    place.idle.abort();
    await process?.kill();
  }

  /** Frees the place, and ends its process unless it is needed again soon. */
  #rest(place: Place): void {
    place.idle = new AbortController();
    this.#free.push(place);
    const { signal } = place.idle;
    if (!place.process) return;
    this.#supervision.clock
      .wait(this.#supervision.idleMs, { signal, background: true })
      .then(() => (signal.aborted ? undefined : this.#empty(place)));
  }
}

/** The program took longer than it may. */
class OutOfTime extends Error {}
/** The program held more memory than it may. */
class OutOfMemory extends Error {}
