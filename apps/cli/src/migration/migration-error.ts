/** Why a store can't be copied, or is no copy; the message is one sentence for the operator. */
export class MigrationError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "MigrationError";
  }
}
