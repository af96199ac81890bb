/** The message bus can't do what was asked, now or at all; the message is one sentence, without credentials. */
export class MessageBusError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "MessageBusError";
  }
}

/** NATS_URL can't be read; the message goes on after the variable's name, and shows nothing of the URL. */
export class NatsUrlError extends MessageBusError {
  constructor() {
    super("it is not a nats:// or tls:// URL with a host, or several of them parted by commas");
    this.name = "NatsUrlError";
  }
}
