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

/** What is read; undefined where the file is damaged there. */
export const unlessDamaged = <Value>(read: () => Value): Value | undefined => {
  try {
    return read();
  } catch (error) {
    if (error instanceof Damaged) return undefined;
    throw error;
  }
};

/** What is read; undefined where the file is damaged there, or where reading it would cost too much. */
export const unlessUnreadable = <Value>(read: () => Value): Value | undefined => {
  try {
    return unlessDamaged(read);
  } catch (error) {
    if (error instanceof TooComplex) return undefined;
    throw error;
  }
};
