import type { Channel, DomainEvent, StreamKind, WebhookType } from "@rubrica/events";
import type { SignerStanding, Standing } from "../standing/standing.ts";
import type { ObligationKind } from "./all-kinds.ts";

/** Something that has to be done, until an event says that it was. */
export type Obligation = OpenObligation & { kind: ObligationKind };

/** The same, without its kind: that is who asks. */
export type OpenObligation = {
  /** `{event id}:{kind}[:{target}]`: stable, and what receivers outside see. */
  id: string;
  /** Whom it is about, or null when it is about the whole document. */
  signerId: string | null;
  /** What a webhook tells; null for the other kinds. */
  webhookType: WebhookType | null;
  /** UTC, ISO 8601. */
  dueAt: string;
  /** The time of the event by which `dueAt` was set last. */
  since: string;
  /** Attempts begun or failed so far, where events tell of them. */
  attempts: number;
  /** Why the last attempt failed, by the name that its event gives; null when no event tells of one. */
  reason: string | null;
  /** Which of its account's receivers a webhook goes to, by a name that is no address; null where none is known. */
  receiver?: string | null;
};

/** One of a document's webhooks, told or not. */
export type WebhookProgress = {
  obligation: Obligation;
  /** It was delivered or abandoned. */
  isOver: boolean;
  /** How long its receiver took over the last attempt that ended, in milliseconds; null before any did. */
  tookMs: number | null;
};

/** What an obligation is before anything was attempted; {@link Obligation} says the rest. */
export const fresh = { webhookType: null, attempts: 0, reason: null } as const;

/** The obligation after an attempt that failed: postponed, where another one follows. */
export const postponed = <Open extends OpenObligation>(
  obligation: Open,
  {
    data,
    metadata,
  }: { data: { attempt: number; reason: string; nextAttemptAt: string | null }; metadata: { at: string } },
): Open => {
  const { attempt, reason, nextAttemptAt } = data;
  if (nextAttemptAt === null) return obligation;
  return { ...obligation, attempts: attempt, reason, dueAt: nextAttemptAt, since: metadata.at };
};

/** How a signer stands, and their place on lines, which deciders don't know. */
export type SignerProgress = SignerStanding & {
  /** The signer's place on their phone's line, by the line's own events. */
  line: "off" | "queued" | "holds";
  /** Once a correction gave them another phone's line: `own` is the line of it, `on` every line that they are on. Null before. */
  lines: { own: string; on: Readonly<Record<string, "queued" | "holds">> } | null;
};

/** A document's open obligations, and what of the document decides about them. JSON; names no person. */
export type ObligationsRecord = Omit<Standing, "signers"> & {
  documentId: string;
  accountId: string;
  channel: Channel;
  hasWebhook: boolean;
  /** What they tell; null: the contract's kinds. */
  webhookEvents: readonly WebhookType[] | null;
  /** Where its webhooks go, as their obligations name it. */
  receiver: string | null;
  /** Oldest first. The first that is not over is open, the others wait for it. */
  webhooks: readonly WebhookProgress[];
  /** The account got its credit back for a document that could not be prepared. */
  refunded: boolean;
  /** What is told of it can't be read: it owes nothing. */
  setAside: boolean;
  signers: readonly SignerProgress[];
  open: readonly Obligation[];
};

/** The record of what can't be read any more: it owes nothing, whatever else is told of it. */
export const setAside = <Record extends { setAside: boolean; open: readonly Obligation[] }>(
  record: Record,
): Record => ({
  ...record,
  setAside: true,
  open: [],
});

/** An event as it was recorded, as far as obligations go. */
export type ObligingEvent<Event extends DomainEvent = DomainEvent> = Event & {
  id: string;
  streamKind: StreamKind;
  streamId: string;
  metadata: { at: string; accountId: string };
};

type Published<Owner> = { obligation: Obligation; accountId: string } & Owner;

/** What a subscriber is given: the obligation, and whose it is. Of what a document owes. */
export type PublishedObligation = Published<{ documentId: string }>;

/** Of what a bulk call owes. */
export type PublishedBulkObligation = Published<{ bulkId: string }>;

/** Of notices that were received. */
export type PublishedNoticesObligation = Published<{ noticesId: string }>;

/** Of what is owed of the log as a whole. */
export type PublishedHeadsObligation = Published<{ headsId: string }>;

/** Of anything that is owed. */
export type AnyPublishedObligation =
  | PublishedObligation
  | PublishedBulkObligation
  | PublishedNoticesObligation
  | PublishedHeadsObligation;
