import type { Clock, Random } from "@rubrica/runtime";
import { commonEnd, type Log, termAt } from "./log.ts";
import { type Answer, ask, type Question } from "./talk.ts";

/** Without a word of the leader for so long the others elect another. */
const ELECTION_MS = 2_000;
/** Two that stand for election at once do so again at different times. */
const ELECTION_SPREAD_MS = 400;
/** Without a word of any other member for so long the leader serves nobody: another may lead. */
const LEASE_MS = 1_500;
/** How long the leader waits for something new before it answers a member that asks. */
const PULL_WAIT_MS = 100;
/** No iteration of its event loop takes so long unless the process was stopped. */
const STOOD_STILL_MS = 1_200;
const PAUSE_MS = 50;

/** It does not lead any more. */
export class LeadershipLost extends Error {}

/** What another member has confirmed to the leader of the term. */
interface Confirmed {
  lastSeq: number;
  /** When it sent that, by the machine's clock, which all members have: what lay in a buffer for long is no news. */
  sentMs: number;
}

/**
 * One of three that keep the same events: the leader's writes are confirmed when another member has them. Who leads is
 * agreed on by terms and votes, as in Raft (https://raft.github.io/raft.pdf).
 */
export class Member {
  readonly #me: number;
  readonly #ports: readonly number[];
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #endWith: (code: number) => void;
  readonly #confirmed = new Map<number, Confirmed>();
  #leader: number | undefined;
  #leading = AbortSignal.abort() as AbortSignal;
  #demote: () => void = () => {};
  #heardMs: number;
  /** Appends of a term that is over, maybe: nothing is copied from others before they are done. */
  #writing = 0;
  #wake = Promise.withResolvers<void>();
  #isEnding = false;

  /** `ports` are those on which the members talk; `endWith` ends the process. */
  constructor(options: {
    me: number;
    ports: readonly number[];
    log: Log;
    clock: Clock;
    random: Random;
    endWith: (code: number) => void;
  }) {
    this.#me = options.me;
    this.#ports = options.ports;
    this.#log = options.log;
    this.#clock = options.clock;
    this.#random = options.random;
    this.#endWith = options.endWith;
    this.#heardMs = this.#clock.monotonicMs();
  }

  /** Who leads, as far as it knows. */
  get leader(): number | undefined {
    return this.#leader;
  }

  /** Whether it leads, and can know that nobody else does. */
  get leads(): boolean {
    return !this.#isEnding && this.#leader === this.#me && this.#clock.now() - this.#lastConfirmedMs() < LEASE_MS;
  }

  /** Aborted when it does not lead any more. */
  get leading(): AbortSignal {
    return this.#leading;
  }

  /** Does a write of the leader's, and resolves when another member has it. @throws {LeadershipLost} */
  async write<T>(work: () => Promise<T>): Promise<T> {
    if (!this.leads) throw new LeadershipLost();
    this.#writing += 1;
    try {
      return await work();
    } finally {
      this.#writing -= 1;
      this.#tell();
      await this.confirmed();
    }
  }

  /** Resolves when another member has all that is there now. @throws {LeadershipLost} */
  async confirmed(): Promise<void> {
    const lastSeq = this.#log.lastSeq();
    while (this.leads && this.#confirmedSeq() < lastSeq) await this.#news();
    if (!this.leads) throw new LeadershipLost();
  }

  /** From now on it neither leads nor votes. */
  end(): void {
    this.#isEnding = true;
    this.#stepDown();
  }

  async answer(question: Question): Promise<Answer> {
    if (this.#isEnding) throw new LeadershipLost();
    if (question.term > this.#log.state.term) this.#enterTerm(question.term);
    return question.kind === "vote" ? this.#vote(question) : await this.#give(question);
  }

  /** Follows, stands for election, leads, until the process ends. */
  async run(): Promise<void> {
    let patienceMs = this.#patienceMs();
    let turnMs = this.#clock.monotonicMs();
    while (!this.#isEnding) {
      const nowMs = this.#clock.monotonicMs();
      // It stood still itself: the others may have been heard of all the while.
      if (nowMs - turnMs > STOOD_STILL_MS) this.#heardMs = nowMs;
      turnMs = nowMs;
      if (this.#leader === this.#me) {
        if (!this.leads) this.#stepDown();
        await this.#clock.wait(PAUSE_MS);
      } else if (this.#clock.monotonicMs() - this.#heardMs > patienceMs) {
        patienceMs = this.#patienceMs();
        await this.#stand();
      } else if (!(await this.#follow())) await this.#clock.wait(PAUSE_MS);
    }
  }

  #patienceMs(): number {
    return ELECTION_MS + this.#random.fraction() * ELECTION_SPREAD_MS;
  }

  get #others(): number[] {
    return this.#ports.map((_, member) => member).filter((member) => member !== this.#me);
  }

  #confirmedSeq(): number {
    return Math.max(0, ...[...this.#confirmed.values()].map(({ lastSeq }) => lastSeq));
  }

  #lastConfirmedMs(): number {
    return Math.max(Number.NEGATIVE_INFINITY, ...[...this.#confirmed.values()].map(({ sentMs }) => sentMs));
  }

  #tell(): void {
    const { resolve } = this.#wake;
    this.#wake = Promise.withResolvers();
    resolve();
  }

  async #news(limitMs = PULL_WAIT_MS): Promise<void> {
    await Promise.race([this.#wake.promise, this.#clock.wait(limitMs)]);
  }

  #enterTerm(term: number): void {
    this.#log.state = { ...this.#log.state, term, votedFor: undefined };
    if (this.#leader === this.#me) this.#stepDown();
  }

  #stepDown(): void {
    this.#leader = undefined;
    this.#heardMs = this.#clock.monotonicMs();
    this.#confirmed.clear();
    this.#demote();
    this.#tell();
  }

  #vote({ term, member, lastTerm, lastSeq }: Question & { kind: "vote" }): Answer {
    const { state } = this.#log;
    const ownTerm = state.epochs.at(-1)?.term ?? 0;
    const isBehind = lastTerm < ownTerm || (lastTerm === ownTerm && lastSeq < this.#log.lastSeq());
    const granted = term === state.term && !isBehind && (state.votedFor ?? member) === member;
    if (granted) {
      this.#log.state = { ...state, votedFor: member };
      this.#leader = undefined;
      this.#heardMs = this.#clock.monotonicMs();
    }
    return { term: state.term, granted };
  }

  async #stand(): Promise<void> {
    this.#leader = undefined;
    const term = this.#log.state.term + 1;
    this.#log.state = { ...this.#log.state, term, votedFor: this.#me };
    this.#heardMs = this.#clock.monotonicMs();
    const { epochs } = this.#log.state;
    const lastSeq = this.#log.lastSeq();
    const question: Question = { kind: "vote", term, member: this.#me, lastTerm: epochs.at(-1)?.term ?? 0, lastSeq };
    const answers = await Promise.all(this.#others.map((other) => ask(this.#ports[other] ?? 0, question, this.#clock)));
    for (const answer of answers) if (answer && answer.term > this.#log.state.term) this.#enterTerm(answer.term);
    if (this.#log.state.term !== term || !answers.some((answer) => answer?.granted)) return;
    this.#log.state = { ...this.#log.state, epochs: [...epochs, { term, from: lastSeq + 1 }] };
    const over = new AbortController();
    this.#leading = over.signal;
    this.#demote = () => over.abort();
    this.#leader = this.#me;
    // Whoever voted is there; before it has this term's epoch nothing is confirmed.
    this.#confirmed.set(this.#me, { lastSeq: 0, sentMs: this.#clock.now() });
  }

  /** What the leader gives a member that asks for what follows. */
  async #give({ term, member, epochs, after, sentMs }: Question & { kind: "pull" }): Promise<Answer> {
    const { state } = this.#log;
    if (this.#leader !== this.#me || term < state.term) return { term: state.term, leader: this.#leader };
    const lastSeq = this.#log.lastSeq();
    if (after > lastSeq || termAt(epochs, after) !== termAt(state.epochs, after))
      return { term, leader: this.#me, dropAfter: commonEnd(epochs, state.epochs, after, lastSeq) };
    const hasTerm = epochs.at(-1)?.term === term;
    const before = this.#confirmed.get(member)?.lastSeq ?? 0;
    this.#confirmed.set(member, { lastSeq: hasTerm ? after : before, sentMs });
    this.#tell();
    if (hasTerm && after === lastSeq) await this.#news();
    if (this.#leader !== this.#me || this.#log.state.term !== term) return { term: this.#log.state.term };
    return { term, leader: this.#me, epochs: state.epochs, rows: this.#log.after(after) };
  }

  /** Asks the leader, or another member who leads; whether there was anything to learn. */
  async #follow(): Promise<boolean> {
    if (this.#writing > 0) return false;
    const asked = this.#leader ?? this.#others[Math.floor(this.#random.fraction() * this.#others.length)] ?? 0;
    const { state } = this.#log;
    const after = this.#log.lastSeq();
    const question: Question = {
      kind: "pull",
      term: state.term,
      member: this.#me,
      epochs: state.epochs,
      after,
      sentMs: this.#clock.now(),
    };
    const answer = await ask(this.#ports[asked] ?? 0, question, this.#clock);
    if (!answer || this.#leader === this.#me) return false;
    if (answer.term > this.#log.state.term) this.#enterTerm(answer.term);
    if (answer.term < this.#log.state.term) return false;
    if (answer.leader !== this.#me) this.#leader = answer.leader;
    if (answer.leader !== asked) return false;
    this.#heardMs = this.#clock.monotonicMs();
    if (answer.dropAfter !== undefined) this.#drop(answer.dropAfter);
    if (!answer.epochs) return false;
    this.#log.state = { ...this.#log.state, epochs: [...answer.epochs] };
    if (answer.rows?.length) this.#log.write(answer.rows);
    return true;
  }

  /** As EventStoreDB does: what the others lack is dropped, and the process wants to be started again. */
  #drop(after: number): void {
    this.#isEnding = true;
    this.#log.dropAfter(after);
    const epochs = this.#log.state.epochs.filter(({ from }) => from <= after);
    this.#log.state = { ...this.#log.state, epochs };
    this.#endWith(0);
  }
}
