/** Where a stream of events is known to have come to. */
export interface KnownEnd {
  stream: string;
  revision: bigint;
  hash: string;
}

/** What is known beside the keys of the event log, which whoever can write to the events alone can't change. */
export interface KnownLog {
  /** The newest head that was committed, as it was noted last. Opaque. */
  head(): Promise<string | undefined>;
  /** Notes a head, and where streams ended by then: one transaction where the engine has some. Repeatable. */
  note(head: string, ends: readonly KnownEnd[]): Promise<void>;
  /** Where a stream is known to have come to, by some head; undefined when none knows it. */
  end(stream: string): Promise<KnownEnd | undefined>;
  /** Every stream that is known, in no order that means anything. */
  ends(): AsyncIterable<KnownEnd>;
  /** Removes the head and these streams. */
  remove(streams: readonly string[]): Promise<void>;
}
