/** Where a stream of events is known to have come to. */
export interface KnownEnd {
  stream: string;
  revision: bigint;
  hash: string;
}

/** What is known of the event log by heads that were committed. */
export interface KnownHead {
  /** The head, as it was noted last. Opaque. */
  head(): Promise<string | undefined>;
  /** Notes a head, and where streams ended by then: the head last, all at once where the engine can. Repeatable. */
  note(head: string, ends: readonly KnownEnd[]): Promise<void>;
  /** Where a stream is known to have come to; undefined when it is not known. */
  end(stream: string): Promise<KnownEnd | undefined>;
  /** Every stream that is known, in no order that means anything. */
  ends(): AsyncIterable<KnownEnd>;
}

/**
 * What is known beside the keys of the event log, which whoever can write to the events alone can't change: the newest head,
 * and where streams have come to by some head.
 */
export interface KnownLog extends KnownHead {
  /** The same of the first head alone: noted once, and never changed. What is in it was there before all later heads. */
  readonly first: KnownHead;
  /**
   * Where streams had come to when all later events were authenticated (`@rubrica/journal`), of every kind of stream: up to
   * there they may hold events of releases that did not. None is known while its head is not: any event may be such a one.
   */
  readonly former: KnownHead;
  /** Removes the newest head and these streams; not what is known by the first head. */
  remove(streams: readonly string[]): Promise<void>;
}
