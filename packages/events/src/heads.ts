import canonicalize from "canonicalize";
import { z } from "zod";
import { defineEvent, type EventOf } from "./define.ts";
import { IsoTime, Sha256, sample } from "./shared.ts";

/** The one stream of heads: `heads-log`. */
export const HEADS_ID = "log";
/** Whose its events are: they are of every account's. */
export const NOBODYS_ACCOUNT = "service";

const TreeSize = z.int().nonnegative();

/** How many events the log had, and the root of the tree over them. */
export const TreeHead = z.strictObject({ size: TreeSize, root: Sha256 });
export type TreeHead = z.infer<typeof TreeHead>;

/** A head in one line, as webhooks and reports have it: `{size}:{root}`. */
export const headText = ({ size, root }: TreeHead): string => `${size}:${root}`;

/** Reads what {@link headText} wrote; undefined when the text is not a head. */
export const parseHead = (text: string): TreeHead | undefined => {
  const [size = "", root, ...rest] = text.trim().split(":");
  const read = TreeHead.safeParse({ size: /^\d{1,15}$/.test(size) ? Number(size) : undefined, root });
  return rest.length === 0 && read.success ? read.data : undefined;
};

/** An event by its place. */
const EventPosition = z.strictObject({ stream: z.string().min(1).max(300), revision: z.int().nonnegative() });

/** What a head's signature is over. */
export interface HeadStatement extends TreeHead {
  /** UTC, ISO 8601. */
  at: string;
  /** The head before; null for the first. */
  previous: TreeHead | null;
}

/** What the signature of a committed head is over. */
export const statementOf = ({ size, root, at, previous }: HeadStatement): HeadStatement => ({
  size,
  root,
  at,
  previous,
});

/** A statement as it is signed: RFC 8785 canonical JSON, in UTF-8. */
export const statementBytes = ({ size, root, at, previous }: HeadStatement): Buffer =>
  Buffer.from(String(canonicalize({ type: "rubrica/head/v1", size, root, at, previous })));

/** Base64 of a CMS. */
const Cms = z.base64().max(65_536);

/**
 * The whole log up to a place, as a Merkle tree's root, signed with the certificate that seals. Its frontier is what the
 * next head goes on from.
 */
export const HeadsCommitted = defineEvent({
  type: "HeadsCommitted",
  data: z.strictObject({
    ...TreeHead.shape,
    at: IsoTime,
    previous: TreeHead.nullable(),
    frontier: z.array(Sha256).max(64),
    /** The last event that it is over; without a hash where that can't be read. */
    last: EventPosition.extend({ hash: z.union([Sha256, z.literal("")]) }),
    /** Whether the log had gone on when it was committed: that is for the next head. */
    wentOn: z.boolean(),
    /** Detached CMS over {@link statementBytes}, with its timestamp where there is one. */
    signature: Cms,
    certificateSha256: Sha256,
    /** By a timestamp authority; null without one. */
    timestampedAt: IsoTime.nullable(),
  }),
  personal: null,
  example: {
    data: {
      size: 3,
      root: sample.sha256,
      at: sample.at,
      previous: { size: 1, root: "ab".repeat(32) },
      frontier: ["cd".repeat(32), "ef".repeat(32)],
      last: { stream: `document-${sample.documentId}`, revision: 2, hash: sample.sha256 },
      wentOn: false,
      signature: "MAA=",
      certificateSha256: "4f".repeat(32),
      timestampedAt: null,
    },
    personal: null,
  },
});

/** A head as it was committed. */
export type CommittedHead = z.infer<typeof HeadsCommitted.data>;

/** An operator asks for a head now. */
export const HeadRequested = defineEvent({
  type: "HeadRequested",
  data: z.strictObject({}),
  personal: null,
  example: { data: {}, personal: null },
});

/** An operator says that what a head tells of is lost: an older state of the log was put back from a backup. */
export const LossAccepted = defineEvent({
  type: "LossAccepted",
  data: z.strictObject({
    /** The newest head that was known beside the keys; null where none was. */
    head: TreeHead.nullable(),
    /** How many streams ended earlier than was known. */
    streams: z.int().nonnegative(),
  }),
  personal: null,
  example: { data: { head: { size: 3, root: sample.sha256 }, streams: 1 }, personal: null },
});

export const headsEvents = [HeadsCommitted, HeadRequested, LossAccepted] as const;
export type HeadsEvent = EventOf<(typeof headsEvents)[number]>;
