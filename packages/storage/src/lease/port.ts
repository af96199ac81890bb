/** Who of several processes works. */
export interface LeaseRecord {
  /** Null: nobody, who had it let go of it. */
  holder: string | null;
  /** Raised by whoever takes it: each holding has one of its own. */
  epoch: number;
  /** Raised by the holder as long as it lives. */
  beat: number;
}

/** Where a lease's record is kept, for all processes that could work. */
export interface LeaseStore {
  /** The record as every process sees it; undefined when nobody ever took the lease. */
  read(): Promise<LeaseRecord | undefined>;
  /**
   * Puts `next` in the place of what was seen, by epoch and beat; `seen` undefined: of nothing.
   * @returns false, and changes nothing, when it is another one by now.
   */
  replace(seen: LeaseRecord | undefined, next: LeaseRecord): Promise<boolean>;
  close(): Promise<void>;
}
