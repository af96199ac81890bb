import { afterEach, vi } from "vitest";
import { Silence, SubscriptionOver } from "../../src/eventstoredb/errors.ts";
import { EventStoreDbError } from "../../src/eventstoredb/failure.ts";
import { AppendTooLargeError, ConflictError } from "../../src/index.ts";

/** What was made, by whom it was asked for: the store's own code, not its client's. */
export interface Made {
  errors: number;
  exceptions: number;
  controllers: number;
  /** Signals composed by `AbortSignal.any`, of a time, and aborted ones. */
  signals: number;
}

const OWN = /[/\\]event-store[/\\]src[/\\]/;
/** Before the frame that asked: the error's name, the function that looks, and the one that counts. */
const FRAMES_BEFORE = 3;

const original = { Error, DOMException, AbortController };
const own = [Silence, SubscriptionOver, EventStoreDbError, ConflictError, AppendTooLargeError];

/** Whether what is made is asked for by the store, by a class of its errors or by itself. */
const isOwn = (): boolean => OWN.test(new original.Error().stack?.split("\n")[FRAMES_BEFORE] ?? "");

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  for (const one of own) Object.setPrototypeOf(one, original.Error);
});

/** Counts from now on, until the test is over, what the store makes that costs the more the more often it is made. */
export const countingMade = (): Made => {
  const made: Made = { errors: 0, exceptions: 0, controllers: 0, signals: 0 };
  const counted = <Class extends new (...given: never[]) => object>(known: Class, kind: keyof Made): Class =>
    new Proxy(known, {
      construct(target, given, maker) {
        if (isOwn()) made[kind] += 1;
        return Reflect.construct(target, given, maker);
      },
    });
  const errors = counted(original.Error, "errors");
  vi.stubGlobal("Error", errors);
  // Their classes were made of the other one.
  for (const one of own) Object.setPrototypeOf(one, errors);
  for (const kind of [TypeError, RangeError]) vi.stubGlobal(kind.name, counted(kind, "errors"));
  vi.stubGlobal("DOMException", counted(original.DOMException, "exceptions"));
  vi.stubGlobal("AbortController", counted(original.AbortController, "controllers"));
  for (const method of ["any", "timeout", "abort"] as const) {
    const known = AbortSignal[method].bind(AbortSignal) as (...given: unknown[]) => AbortSignal;
    vi.spyOn(AbortSignal, method).mockImplementation((...given: unknown[]) => {
      made.signals += 1;
      return known(...given);
    });
  }
  const abort = original.AbortController.prototype.abort;
  vi.spyOn(original.AbortController.prototype, "abort").mockImplementation(function (this: AbortController, reason) {
    // Without a reason it makes an exception.
    if (reason === undefined) made.exceptions += 1;
    return abort.call(this, reason);
  });
  return made;
};
