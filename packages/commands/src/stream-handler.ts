import type { Decide, Fold } from "@rubrica/domain";
import { ConflictError } from "@rubrica/event-store";
import { type DomainEvent, type StreamKind, streamName } from "@rubrica/events";
import type { CommandContext, Journal, JournalEvent, StreamEnd } from "@rubrica/journal";
import { weightOf } from "@rubrica/json";
import type { Runtime } from "@rubrica/runtime";
import { LRUCache } from "lru-cache";

const MAX_CACHED_STREAMS = 5_000;
/** By what their events weigh: a row of a bulk call may bear thousands of variables. */
const MAX_CACHED_BYTES = 67_108_864;
const MAX_ATTEMPTS = 20;
const MAX_BACKOFF_MS = 200;

/** A stream's state and where its chain ends; `end` is undefined when the stream does not exist. */
export interface Loaded<State> {
  state: State;
  end: StreamEnd | undefined;
  /** Of its events, about, in bytes. */
  weight: number;
}

/** What came of a command: the state after it and the events that it made, none when there was nothing to do. */
export interface Handled<State> {
  state: State;
  events: readonly JournalEvent[];
}

/** What sets one kind of stream apart from the others. */
export interface StreamHandlerOptions {
  /**
   * A command may mean something new when it comes again later, as a claim on a phone line does after its signer left:
   * its events' ids then tell also at which revision it was decided, so that none is an id that the stream holds already.
   */
  commandsRecur?: boolean;
}

/**
 * Handles the commands of one kind of stream: load → decide → append.
 *
 * Within the process, commands to one stream queue up; between processes a conflict means: read again, decide again.
 * Safe to repeat: `decide` gives no events for what has been done already.
 */
export class StreamHandler<State extends object, Event extends DomainEvent> {
  readonly #journal: Journal;
  readonly #kind: StreamKind;
  readonly #fold: Fold<State, Event>;
  readonly #runtime: Runtime;
  readonly #commandsRecur: boolean;
  readonly #cache = new LRUCache<string, Loaded<State>>({
    max: MAX_CACHED_STREAMS,
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: ({ weight }) => 1 + weight,
  });
  readonly #tails = new Map<string, Promise<unknown>>();

  constructor(
    journal: Journal,
    kind: StreamKind,
    fold: Fold<State, Event>,
    runtime: Runtime,
    { commandsRecur = false }: StreamHandlerOptions = {},
  ) {
    this.#journal = journal;
    this.#kind = kind;
    this.#fold = fold;
    this.#runtime = runtime;
    this.#commandsRecur = commandsRecur;
  }

  /** The stream's state now. */
  async load(id: string): Promise<State> {
    return (await this.#load(streamName(this.#kind, id))).state;
  }

  /**
   * Decides a command on the stream's state and appends what it decided.
   * @throws {DomainError} when the command is refused.
   * @throws {ConflictError} when the stream went on under every one of the attempts.
   */
  handle<Command>(
    id: string,
    decide: Decide<State, Command, Event>,
    command: Command,
    context: CommandContext,
  ): Promise<Handled<State>> {
    const stream = streamName(this.#kind, id);
    return this.#inTurn(stream, () => this.#decideAndAppend(stream, decide, command, context));
  }

  async #decideAndAppend<Command>(
    stream: string,
    decide: Decide<State, Command, Event>,
    command: Command,
    context: CommandContext,
  ): Promise<Handled<State>> {
    for (let attempt = 1; ; attempt++) {
      const loaded = await this.#load(stream);
      const decided = decide(loaded.state, command);
      if (decided.length === 0) return { state: loaded.state, events: [] };
      try {
        const events = await this.#journal.append(stream, loaded.end, decided, this.#contextAt(loaded.end, context));
        const after = this.#evolved(loaded, events);
        this.#cache.set(stream, after);
        return { state: after.state, events };
      } catch (error) {
        this.#cache.delete(stream);
        if (!(error instanceof ConflictError) || attempt === MAX_ATTEMPTS) throw error;
        await this.#backOff(attempt);
      }
    }
  }

  #contextAt(end: StreamEnd | undefined, context: CommandContext): CommandContext {
    if (!this.#commandsRecur) return context;
    return { ...context, commandId: `${context.commandId}@${end ? end.revision + 1n : 0n}` };
  }

  async #load(stream: string): Promise<Loaded<State>> {
    const cached = this.#cache.get(stream);
    const loaded = (cached && (await this.#caughtUp(stream, cached))) ?? (await this.#readWhole(stream));
    if (loaded.end) this.#cache.set(stream, loaded);
    return loaded;
  }

  /**
   * A cached state brought up to date, or undefined when the stream does not hold what was cached: another process may
   * have appended the same command's events, with the same ids but hashed at another moment.
   */
  async #caughtUp(stream: string, cached: Loaded<State>): Promise<Loaded<State> | undefined> {
    const news = cached.end && (await this.#journal.readAfter(stream, cached.end));
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

  async #inTurn<Result>(stream: string, work: () => Promise<Result>): Promise<Result> {
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
    const ceilingMs = Math.min(2 ** attempt, MAX_BACKOFF_MS);
    return this.#runtime.clock.wait(ceilingMs * this.#runtime.random.fraction());
  }
}
