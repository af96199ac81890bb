/** The file's structure is not what it says: it may be mended, or refused. */
export class Damaged extends Error {
  override name = "Damaged";

  constructor(message: string) {
    // A file may have half a million faults, most of them passed over: a stack for each would take seconds.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Reading on would cost more than a document may. */
export class TooComplex extends Error {
  override name = "TooComplex";
}
