/** A variable of the environment can't be used; the message is one sentence that names it, never its value. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ConfigError";
  }
}
