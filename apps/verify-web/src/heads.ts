import type { EventStore, RecordedEvent } from "@rubrica/event-store";
import {
  type CommittedHead,
  HEADS_ID,
  parseHead,
  restored,
  statementBytes,
  statementOf,
  streamName,
  type TreeHead,
} from "@rubrica/events";
import { badRequest, type HttpPlugin, TOO_MANY_REQUESTS_TEXT, UNREACHABLE_TEXT } from "@rubrica/http";
import { yieldToOthers } from "@rubrica/runtime";
import type { KnownLog } from "@rubrica/storage";
import { z } from "zod";
import { errorOf, FAILED_TEXT } from "./schemas.ts";

/** Of the heads' stream, in one answer. */
const MAX_EVENTS = 100;
/** Heads whose signatures are checked in one iteration of the event loop: some milliseconds. */
const CHECKED_AT_ONCE = 10;
const STREAM = streamName("heads", HEADS_ID);

export interface HeadRoutesDependencies {
  events: Pick<EventStore, "readStream" | "streamEnd">;
  /** The newest head as it is known beside the keys. */
  known: Pick<KnownLog, "head">;
  /** Whether a head is signed by this service, and as its event says. */
  isSigned: (head: CommittedHead) => boolean;
}

const PublishedHead = z.object({
  size: z.number().int().describe("How many events the log had."),
  root: z.string().describe("The root of the Merkle tree (RFC 6962, SHA-256) over them, in lower-case hex."),
});

const Head = z.object({
  number: z.number().int().describe("Of the head among its own events: what `before` goes by."),
  ...PublishedHead.shape,
  at: z.string().describe("ISO 8601, UTC."),
  previous: PublishedHead.nullable().describe("The head before; null for the first."),
  statement: z.string().describe("What is signed: RFC 8785 canonical JSON of the fields above but `number`."),
  signature: z.string().describe("Detached CMS over the statement's UTF-8, with its timestamp, in Base64 of the DER."),
  certificate_sha256: z.string(),
  timestamped_at: z.string().nullable().describe("By a timestamp authority; null without one."),
});

const root = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const previous = { size: 1_201, root: root.replaceAll("9", "3") };
const statement = { size: 1_370, root, at: "2026-11-21T16:00:00.000Z", previous };
const Heads = z
  .object({
    heads: z.array(Head).describe("Newest first."),
    next: z.number().int().nullable().describe("The `before` of the next answer; null when there are no more."),
  })
  .meta({
    examples: [
      {
        heads: [
          {
            number: 2,
            ...statement,
            statement: statementBytes(statement).toString(),
            signature: "MIIE…",
            certificate_sha256: root.replaceAll("8", "c"),
            timestamped_at: null,
          },
        ],
        next: null,
      },
    ],
  })
  .describe("Some of the heads.");

const Query = z.object({
  before: z.coerce.number().int().min(0).optional().describe("The `next` of the answer before; the newest without it."),
});

/**
 * `GET /pki/heads`: the signed heads of the event log (RFC 6962's tree). Whoever keeps one can show later that the log was
 * cut, or written anew.
 */
export const headRoutes =
  ({ events, known, isSigned }: HeadRoutesDependencies): HttpPlugin =>
  async (app) => {
    app.get(
      "/pki/heads",
      {
        schema: {
          tags: ["verification"],
          operationId: "heads",
          summary: "Heads of the event log",
          description:
            "Signed roots of the Merkle tree over all events, one for each hour in which something changed. Keep one: " +
            "`rubrica audit verify --head` shows whether the log still holds what it was over. No key.",
          querystring: Query,
          response: {
            200: Heads,
            400: badRequest({ path: "before", message: "must be a number" }, "The query is not understood."),
            429: errorOf(TOO_MANY_REQUESTS_TEXT, "Too many requests came from this address."),
            500: errorOf(FAILED_TEXT, "Something failed on this side."),
            503: errorOf(UNREACHABLE_TEXT, "An engine can't be reached now."),
          },
        },
      },
      async ({ query }) => {
        const end = (await events.streamEnd(STREAM))?.revision ?? -1n;
        const upTo = Math.min(query.before ?? Number.POSITIVE_INFINITY, Number(end) + 1);
        const from = Math.max(0, upTo - MAX_EVENTS);
        const heads = await headsIn(events, isSigned, from, upTo);
        const isKnown = isUpTo(parseHead((await known.head()) ?? ""));
        return { heads: heads.filter(isKnown), next: from > 0 ? from : null };
      },
    );
  };

/**
 * Whether a head is not beyond the one that is known: whoever can write to the events alone can add one there that nobody
 * signed. Where none is known, as when an operator accepted a loss, all are shown.
 */
const isUpTo =
  (newest: TreeHead | undefined) =>
  ({ size, root }: TreeHead): boolean =>
    newest === undefined || size < newest.size || (size === newest.size && root === newest.root);

/** The heads among the stream's events from one revision up to, and without, another; newest first. */
const headsIn = async (
  events: HeadRoutesDependencies["events"],
  isSigned: HeadRoutesDependencies["isSigned"],
  from: number,
  upTo: number,
) => {
  const heads: z.infer<typeof Head>[] = [];
  for await (const event of events.readStream(STREAM, BigInt(from))) {
    if (event.revision >= BigInt(upTo)) break;
    const head = headOf(event);
    if (head && isSigned(head)) heads.unshift(bodyOf(Number(event.revision), head));
    if (heads.length % CHECKED_AT_ONCE === 0) await yieldToOthers();
  }
  return heads;
};

/** What can't be read is left out, as what is not signed is: `rubrica audit verify` tells of both. */
const headOf = ({ type, data, metadata }: RecordedEvent): CommittedHead | undefined => {
  if (type !== "HeadsCommitted") return undefined;
  try {
    const content = { data: data.data as Record<string, unknown>, personal: null };
    return restored(type, content, Number(metadata.schemaVersion)).data as CommittedHead;
  } catch {
    return undefined;
  }
};

const bodyOf = (number: number, head: CommittedHead): z.infer<typeof Head> => ({
  number,
  ...statementOf(head),
  statement: statementBytes(statementOf(head)).toString(),
  signature: head.signature,
  certificate_sha256: head.certificateSha256,
  timestamped_at: head.timestampedAt,
});
