/** Who of several processes works. */
export interface LeaseRecord {
  /** Null once its last holder released it. */
  holder: string | null;
  /** Raised each time that the lease is taken: each holding has its own. */
  epoch: number;
  /** Raised by the holder as long as it lives. */
  beat: number;
}

/** Where a lease's record is kept, for all processes that could work. */
export interface LeaseStore {
  /** The record as every process sees it; undefined when nobody ever took the lease. */
  read(): Promise<LeaseRecord | undefined>;
  /**
   * Writes `next` if the record still has the epoch and beat of `seen`; `seen` undefined: if there is no record.
   * @returns false, and changes nothing, when another record is there by now.
   */
  replace(seen: LeaseRecord | undefined, next: LeaseRecord): Promise<boolean>;
  close(): Promise<void>;
}
