import { type Decide, DomainError, type Fold } from "@rubrica/domain";
import { ConflictError } from "@rubrica/event-store";
import { type DomainEvent, type StreamKind, streamName } from "@rubrica/events";
import type { CommandContext, Journal, JournalEvent, StreamEnd } from "@rubrica/journal";
import { weightOf } from "@rubrica/json";
import { type Backoff, backoffMs, type Runtime } from "@rubrica/runtime";
import { LRUCache } from "lru-cache";

const MAX_CACHED_STREAMS = 5_000;
/** The most that all remembered streams' events may weigh: a row of a bulk call may have thousands of variables. */
const MAX_CACHED_BYTES = 67_108_864;
const MAX_ATTEMPTS = 20;
const CONFLICT_BACKOFF: Backoff = { firstMs: 1, longestMs: 200 };

/** A stream's state and where its chain ends; `end` is undefined when the stream does not exist. */
export interface Loaded<State> {
  state: State;
  end: StreamEnd | undefined;
  /** How large its events are, in bytes; an estimate. */
  weight: number;
}

/** What a command means for a stream as it was found. */
interface Decided<State, Event> {
  loaded: Loaded<State>;
  decided: readonly Event[];
}

/** What came of a command: the state after it and the events that it made, none when there was nothing to do. */
export interface Handled<State> {
  state: State;
  events: readonly JournalEvent[];
}

/**
 * Handles the commands of one kind of stream: load → decide → append.
 *
 * Within the process, commands to one stream queue up, and each is decided on the state that the one before left: what it
 * decides is appended to that state's end, or conflicts. Between processes a conflict means: read again, decide again.
 * What a remembered state refuses, or finds nothing to do in, is decided again on what is stored.
 * Safe to repeat: `decide` gives no events for what has been done already.
 */
export class StreamHandler<State extends object, Event extends DomainEvent> {
  readonly #journal: Journal;
  readonly #kind: StreamKind;
  readonly #fold: Fold<State, Event>;
  readonly #runtime: Runtime;
  readonly #stateAt: ((state: State, now: number) => State) | undefined;
  readonly #cache = new LRUCache<string, Loaded<State>>({
    max: MAX_CACHED_STREAMS,
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: ({ weight }) => 1 + weight,
  });
  readonly #tails = new Map<string, Promise<unknown>>();

  /**
   * @param stateAt the state as it is at a time (milliseconds since the UNIX epoch), where time alone changes it: what is
   * decided and read is decided on and read so, and never remembered
   */
  constructor(
    journal: Journal,
    kind: StreamKind,
    fold: Fold<State, Event>,
    runtime: Runtime,
    stateAt?: (state: State, now: number) => State,
  ) {
    this.#journal = journal;
    this.#kind = kind;
    this.#fold = fold;
    this.#runtime = runtime;
    this.#stateAt = stateAt;
  }

  /** Evicts the stream's state from memory, or every stream's: it is read from the store when it is needed next. */
  evict(id?: string): void {
    if (id === undefined) this.#cache.clear();
    else this.#cache.delete(streamName(this.#kind, id));
  }

  /** The stream's state now. */
  async load(id: string): Promise<State> {
    return this.#asOfNow((await this.#load(streamName(this.#kind, id))).state);
  }

  /**
   * Decides a command on the stream's state and appends what it decided.
   * @throws {DomainError} when the command is refused.
   * @throws {ConflictError} when the stream went on under every one of the attempts.
   */
  async handle<Command>(
    id: string,
    decide: Decide<State, Command, Event>,
    command: Command,
    context: CommandContext,
  ): Promise<Handled<State>> {
    const stream = streamName(this.#kind, id);
    const decideNow: Decide<State, Command, Event> = (state, given) => decide(this.#asOfNow(state), given);
    const handled = await this.#oneAfterAnother(stream, () =>
      this.#decideAndAppend(stream, decideNow, command, context),
    );
    return { ...handled, state: this.#asOfNow(handled.state) };
  }

  #asOfNow(state: State): State {
    return this.#stateAt?.(state, this.#runtime.clock.now()) ?? state;
  }

  async #decideAndAppend<Command>(
    stream: string,
    decide: Decide<State, Command, Event>,
    command: Command,
    context: CommandContext,
  ): Promise<Handled<State>> {
    const remembered = this.#fromMemory(stream, (state) => decide(state, command));
    const first = remembered && (await this.#append(stream, remembered, context));
    if (first && !(first instanceof ConflictError)) return first;
    for (let attempt = 1; ; attempt++) {
      const current = await this.#fromStore(stream, (state) => decide(state, command));
      if (current.decided.length === 0) return { state: current.loaded.state, events: [] };
      const outcome = await this.#append(stream, current, context);
      if (!(outcome instanceof ConflictError)) return outcome;
      if (attempt === MAX_ATTEMPTS) throw outcome;
      await this.#backOff(attempt);
    }
  }

  /** Appends what was decided, or tells that the stream has gone on. */
  async #append(
    stream: string,
    { loaded, decided }: Decided<State, Event>,
    context: CommandContext,
  ): Promise<Handled<State> | ConflictError> {
    try {
      const events = await this.#journal.append(stream, loaded.end, decided, context);
      const after = this.#evolved(loaded, events);
      this.#remember(stream, after);
      return { state: after.state, events };
    } catch (error) {
      if (error instanceof ConflictError) return error;
      // Whether anything was stored is not known: what is remembered of the stream is not to be trusted.
      this.#cache.delete(stream);
      throw error;
    }
  }

  /** What is decided on the cached state; undefined if not cached, refused or a no-op: then read the store. */
  #fromMemory(stream: string, decide: (state: State) => readonly Event[]): Decided<State, Event> | undefined {
    const loaded = this.#cache.get(stream);
    if (!loaded) return undefined;
    try {
      const decided = decide(loaded.state);
      return decided.length > 0 ? { loaded, decided } : undefined;
    } catch (error) {
      if (error instanceof DomainError) return undefined;
      throw error;
    }
  }

  async #fromStore(stream: string, decide: (state: State) => readonly Event[]): Promise<Decided<State, Event>> {
    const loaded = await this.#load(stream);
    return { loaded, decided: decide(loaded.state) };
  }

  async #load(stream: string): Promise<Loaded<State>> {
    const cached = this.#cache.get(stream);
    const loaded = (cached && (await this.#caughtUp(stream, cached))) ?? (await this.#readWhole(stream));
    this.#remember(stream, loaded);
    return loaded;
  }

  /** Only what is stored: what was read, or appended. A slow read never takes the place of what came after it. */
  #remember(stream: string, { end, ...loaded }: Loaded<State>): void {
    const known = this.#cache.get(stream)?.end;
    if (end && (known === undefined || known.revision <= end.revision)) this.#cache.set(stream, { end, ...loaded });
  }

  /** A cached state brought up to date; undefined, and forgotten, when the stream does not hold what was cached. */
  async #caughtUp(stream: string, cached: Loaded<State>): Promise<Loaded<State> | undefined> {
    const news = cached.end && (await this.#journal.readAfter(stream, cached.end));
    if (!news && this.#cache.get(stream) === cached) this.#cache.delete(stream);
    return news && this.#evolved(cached, news);
  }

  async #readWhole(stream: string): Promise<Loaded<State>> {
    let loaded: Loaded<State> = { state: this.#fold.initial, end: undefined, weight: 0 };
    for await (const event of this.#journal.read(stream)) loaded = this.#evolved(loaded, [event]);
    return loaded;
  }

  #evolved(loaded: Loaded<State>, events: readonly JournalEvent[]): Loaded<State> {
    let { state, end, weight } = loaded;
    for (const event of events) {
      state = this.#fold.evolve(state, event as unknown as Event);
      weight += weightOf(event.data) + weightOf("personal" in event ? event.personal : null);
      end = { revision: event.revision, at: event.metadata.at, hash: event.metadata.hash };
    }
    return { state, end, weight };
  }

  async #oneAfterAnother<Result>(stream: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#tails.get(stream);
    const result = before ? before.then(work, work) : work();
    this.#tails.set(stream, result);
    try {
      return await result;
    } finally {
      if (this.#tails.get(stream) === result) this.#tails.delete(stream);
    }
  }

  #backOff(attempt: number): Promise<void> {
    return this.#runtime.clock.wait(backoffMs(attempt + 1, CONFLICT_BACKOFF) * this.#runtime.random.fraction());
  }
}
