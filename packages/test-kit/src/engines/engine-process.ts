/** An engine that runs as a process of its own for a test, and ends with it. */
export interface EngineProcess extends AsyncDisposable {
  /** What clients connect to; the same after every start. */
  url: string;
  /** Whether it is the engine itself; otherwise a double that speaks its protocol. */
  isTrue: boolean;
  /** Sends the signal to the engine alone: `SIGCONT` after {@link silence}. */
  signal(signal: NodeJS.Signals): void;
  /** Has it keep its connections and say nothing, until `SIGCONT`; resolves when none of its threads runs. */
  silence(): Promise<void>;
  /** Ends it with SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts it again where it was, on the same port and data; resolves when it answers. */
  start(): Promise<void>;
}
