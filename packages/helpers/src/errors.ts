/** Too much waits, or helpers died of something that is not the task's to mend: the same task may be tried again later. */
export class HelpersBusy extends Error {
  override name = "HelpersBusy";
  /** When to come again, in seconds. */
  readonly retryAfterSeconds = 5;
}

/** A task took more than any task may, whatever else the machine does: it would again. */
export class BoundExceeded extends Error {
  override name = "BoundExceeded";
  readonly bound: "time" | "memory";

  constructor(bound: "time" | "memory") {
    super(`the task takes more ${bound} than a task may`);
    this.bound = bound;
  }
}

/** A task threw; the message is the helper's own stack, for the log. */
export class TaskFailed extends Error {
  override name = "TaskFailed";
}

/** The pool was closed while the task waited or ran. */
export class PoolClosed extends Error {
  override name = "PoolClosed";

  constructor() {
    super("the helpers are closed");
  }
}
