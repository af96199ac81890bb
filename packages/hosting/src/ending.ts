import type { Clock } from "@rubrica/runtime";

/**
 * A service that is asked to stop has ended within 10 s, whatever it is doing and whatever engine is silent: what it owes
 * is taken up at the next start. The rest of the ten is for the process to go.
 */
const LIMIT_MS = 9_500;
/** One Ctrl-C reaches the service several times: from the terminal, and from each program that it was started by. */
const SAME_REQUEST_MS = 500;

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Ends this process when it is asked to, by a signal or by the end of what started it (its channel to it closes): at
 * once while it still starts, else when `stop` has resolved, for which it has 9.5 s; at once when it is asked again.
 */
export class Ending {
  readonly #clock: Clock;
  readonly #limitMs: number;
  #stop: (() => Promise<void>) | undefined;
  #askedAtMs: number | undefined;

  constructor({ clock, limitMs = LIMIT_MS }: { clock: Clock; limitMs?: number }) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    process.on("SIGTERM", (signal) => this.#ask(EXIT_CODES[signal as "SIGTERM"]));
    process.on("SIGINT", (signal) => this.#ask(EXIT_CODES[signal as "SIGINT"]));
    process.on("disconnect", () => this.#ask(0));
    // Listening must not keep the process from ending by itself.
    process.channel?.unref();
  }

  /** From now on there is something to stop. */
  by(stop: () => Promise<void>): void {
    this.#stop = stop;
  }

  #ask(codeWhenCut: number): void {
    const nowMs = this.#clock.monotonicMs();
    if (this.#askedAtMs === undefined) {
      this.#askedAtMs = nowMs;
      void this.#end();
    } else if (nowMs - this.#askedAtMs > SAME_REQUEST_MS) process.exit(codeWhenCut);
  }

  async #end(): Promise<void> {
    const late = this.#clock.wait(this.#limitMs);
    try {
      await Promise.race([this.#stop?.(), late]);
      process.exit(0);
    } catch {
      process.exit(1);
    }
  }
}
