import type { RetryPolicy } from "../backoff.ts";
import type { ObligationsRecord, ObligingEvent, OpenObligation, SignerProgress } from "./record.ts";

/** How many of a kind may be under way at a time: what waits is published when others are done. */
export interface Limits {
  inAll: number;
  anAccount: number;
}

/** What is known when an event opens an obligation. */
export interface Opening {
  /** As it was before the event; null before the request. */
  record: ObligationsRecord | null;
  /** Whom the obligation is about, as they were before the event; undefined where it is about nobody, or that is not known. */
  signer: SignerProgress | undefined;
  event: ObligingEvent;
}

/** What is said of every kind: how it is attempted. */
export interface AttemptPolicy {
  /** How what failed is tried again, where events tell of it. Where this is left out, whoever publishes obligations repeats them. */
  retries?: RetryPolicy;
  /** For a kind whose work is long, or done few at a time. Those of all other kinds where this is left out. */
  limits?: Limits;
}

/**
 * All that the domain says of one kind of obligation of a document; webhooks apart, which are opened and closed by single
 * events. `About` is what is known of the signer whom it is about; empty where it is about the document as a whole.
 */
export interface Kind<About extends readonly unknown[] = []> extends AttemptPolicy {
  /** Whether it is owed now: once it no longer is, it is closed. */
  isOwed(record: ObligationsRecord, ...about: About): boolean;
  /** When it is due once an event has opened it: UTC, ISO 8601. At once where this is left out. */
  dueAt?(opening: Opening): string;
  /**
   * Events of the document, or of the signer whom it is about, after which an open one is replaced by a new one, with an id
   * and a time of its own, if it is still owed. None where this is left out.
   */
  restartsWith?(event: ObligingEvent): boolean;
  /** An open one after an event: an attempt counted, another time. As it was where this is left out. */
  after?<Open extends OpenObligation>(open: Open, event: ObligingEvent): Open;
  /** The id of one that the event opens, where that is not a new one. */
  idBy?(event: ObligingEvent): string | undefined;
}

/** The names of kinds, in the order in which they are declared: so open obligations are listed. */
export const namesOf = <Name extends string>(kinds: Readonly<Record<Name, unknown>>) => Object.keys(kinds) as Name[];

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** What the command that wrote an event goes on to do itself is due so much later: in case the command was cut. */
export const GRACE_MS = 5_000;

/** A moment so many milliseconds after another, both UTC in ISO 8601. */
export const later = (at: string, ms: number): string => new Date(Date.parse(at) + ms).toISOString();

/** Whether the event has a signer begin anew: a resend, or a correction. */
export const isAskedAnew = (event: ObligingEvent): boolean =>
  event.type === "ResendRequested" || event.type === "SignerCorrected";
