/** What callbacks that are being sent may hold of the memory, in bytes: all together, and those of one receiver. */
export interface BudgetLimits {
  totalBytes: number;
  receiverBytes: number;
}

const USUAL: BudgetLimits = { totalBytes: 67_108_864, receiverBytes: 4_194_304 };

interface Waiting {
  receiver: string;
  bytes: number;
  enter: () => void;
}

/**
 * The memory that callbacks on their way may hold, in bytes. A callback that is larger than its receiver's share is
 * sent when no other of that receiver is. A callback that waits for its receiver's share holds up no other receiver.
 */
export class SendingBudget {
  readonly #limits: BudgetLimits;
  readonly #signal: AbortSignal;
  readonly #reserved = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  #totalBytes = 0;

  /** @param signal when it is aborted, nobody is let in any more. */
  constructor(signal: AbortSignal, limits = USUAL) {
    this.#signal = signal;
    this.#limits = limits;
    signal.addEventListener("abort", () => this.#letIn(), { once: true });
  }

  /** Holds so many bytes if they fit now: gives what lets go of them, once; undefined when they do not. */
  tryReserve(receiver: string, bytes: number): Disposable | undefined {
    if (!this.#fits(receiver, bytes)) return undefined;
    this.#add(receiver, bytes);
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#add(receiver, -bytes);
        this.#letIn();
      },
    };
  }

  /** Waits until so many bytes may fit; somebody else may take them first: call `tryReserve` again. @throws the signal's reason when it is aborted. */
  async wait(receiver: string, bytes: number): Promise<void> {
    this.#signal.throwIfAborted();
    await new Promise<void>((enter) => this.#waiting.add({ receiver, bytes, enter }));
    this.#signal.throwIfAborted();
  }

  #fits(receiver: string, bytes: number): boolean {
    const { totalBytes, receiverBytes } = this.#limits;
    const held = this.#reserved.get(receiver) ?? 0;
    const fitsReceiver = held === 0 || held + bytes <= receiverBytes;
    return fitsReceiver && (this.#totalBytes === 0 || this.#totalBytes + bytes <= totalBytes);
  }

  #add(receiver: string, bytes: number): void {
    const held = (this.#reserved.get(receiver) ?? 0) + bytes;
    if (held === 0) this.#reserved.delete(receiver);
    else this.#reserved.set(receiver, held);
    this.#totalBytes += bytes;
  }

  /** Wakes everyone who would fit now, each judged alone: once awake they check again. */
  #letIn(): void {
    for (const one of [...this.#waiting]) {
      if (!this.#signal.aborted && !this.#fits(one.receiver, one.bytes)) continue;
      this.#waiting.delete(one);
      one.enter();
    }
  }
}
