/** A line as it is found: its id, and who was given it first of those who have it. */
export interface FoundLine {
  line: string;
  owner: string;
  /** When they were given it, or anybody after them, in milliseconds since the UNIX epoch. */
  sinceMs: number;
}

/** One owner's row of a line. */
export interface LineRow extends FoundLine {
  lookup: string;
}

/**
 * Random ids of what is looked up by a name that nothing else may lead to, as a phone's line is by a MAC of the phone:
 * only here stands which is whose. Each has owners; a line that its last owner lost is forgotten, and the same name gets
 * another id from then on.
 */
export interface Lines {
  /** The line of that name; undefined when there is none. */
  find(lookup: string): Promise<FoundLine | undefined>;
  /**
   * Gives the owner the line of that name; where there is none, `otherwise` is its id from now on. Durable when it answers.
   * Repeatable: who has it already has it since now.
   * @returns the line's id
   * @throws {KeyDestroyedError} when the owner's key was destroyed.
   */
  give(lookup: string, owner: string, otherwise: string): Promise<string>;
  /** The names of the owner's lines. */
  lookupsOf(owner: string): Promise<readonly string[]>;
  /**
   * Takes the line of that name from the owner. With the power, that may be lost. Repeatable.
   * @param sinceMs when it was found to be given last: nothing is taken when it was given anew after that
   */
  take(lookup: string, owner: string, sinceMs?: number): Promise<void>;
  /** Whether lines were given to who had them before there was this record of them; always once it was noted. */
  areAdopted(): Promise<boolean>;
  noteAdopted(): Promise<void>;
  /** Every row as it is kept, for copying them to another engine, in no order that means anything. */
  rows(): AsyncIterable<LineRow>;
}
