import { readFile } from "node:fs/promises";
import {
  type CommittedHead,
  type HashedEvent,
  HEADS_ID,
  HeadsCommitted,
  headText,
  LossAccepted,
  parseHead,
  streamName,
  TreeHead,
} from "@rubrica/events";
import { checkHead as checkSignature, InvalidSignature } from "@rubrica/pdf";

/** The stream that heads are in. */
export const HEADS_STREAM = streamName("heads", HEADS_ID);

/** A head that is to hold, and where it is from, in words that go on from "The head". */
export interface ExpectedHead extends TreeHead {
  from: string;
  /** The last event that it says it is over, where it says so: nothing signed covers that, and the next head goes on from it. */
  last?: CommittedHead["last"];
}

/** A file of a head can't be used. */
export class HeadFileError extends Error {
  constructor(path: string, reason: string) {
    super(`${path} can't be used as a head: ${reason}.`);
    this.name = "HeadFileError";
  }
}

/**
 * Heads that somebody kept: an answer of `GET /pki/heads`, one head of it, or the line that a webhook's header or a report
 * has.
 * @throws {HeadFileError}
 */
export const readHeads = async (path: string): Promise<ExpectedHead[]> => {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    throw new HeadFileError(path, error instanceof Error ? error.message : "it can't be read");
  }
  const heads = headsOf(text, path).map((head) => ({ ...head, from: `of ${path}` }));
  if (heads.length === 0) throw new HeadFileError(path, "it holds none");
  return heads;
};

const headsOf = (text: string, path: string): TreeHead[] => {
  const line = parseHead(text.trim().replace(/^rubrica-head:\s*/i, ""));
  if (line) return [line];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  const { heads } = (value ?? {}) as { heads?: unknown };
  if (!Array.isArray(heads)) {
    const head = headOf(value);
    return head ? [head] : [];
  }
  return heads.map((one, index) => {
    const head = headOf(one);
    // Passed over, it would leave what came since an older one unchecked.
    if (!head) throw new HeadFileError(path, `number ${index + 1} of its heads is none`);
    return head;
  });
};

/** A head as it is published; undefined where it is none, or says something else than its statement. */
const headOf = (published: unknown): TreeHead | undefined => {
  const { size, root, statement } = (published ?? {}) as Record<string, unknown>;
  const head = TreeHead.safeParse({ size, root }).data;
  return statement === undefined || (head && headText(head) === stated(statement)) ? head : undefined;
};

/** The head that a statement is of. */
const stated = (statement: unknown): string | undefined => {
  try {
    const { size, root } = JSON.parse(String(statement)) as Record<string, unknown>;
    return headText(TreeHead.parse({ size, root }));
  } catch {
    return undefined;
  }
};

/** What the log tells of its heads. */
export interface HeadsInLog {
  expected: ExpectedHead[];
  /** The newest; null where there is none. */
  newest: CommittedHead | null;
  /** What is wrong with them, whatever the log holds. */
  faults: string[];
  /** Heads whose loss an operator accepted. */
  lost: readonly TreeHead[];
  /** How often an operator said that something was lost. */
  losses: number;
  /** How many heads are signed under none of the roots that are known here. */
  signedByUnknown: number;
}

/**
 * The heads of the log, each by its signature and as it goes on from the one before.
 * @param roots certificates (DER) that may have signed; null where none is known
 */
export const headsInLog = async (
  events: AsyncIterable<HashedEvent>,
  roots: readonly Uint8Array[] | null,
): Promise<HeadsInLog> => {
  const found: HeadsInLog = { expected: [], newest: null, faults: [], lost: [], losses: 0, signedByUnknown: 0 };
  for await (const { type, data, revision } of events) {
    if (type === "LossAccepted") {
      found.losses += 1;
      // The next one is over the log as it is, and goes on from none.
      found.newest = null;
      const { success, data: loss } = LossAccepted.data.safeParse(data);
      if (success && loss.head) found.lost = [...found.lost, loss.head];
    }
    if (type !== "HeadsCommitted") continue;
    const head = HeadsCommitted.data.safeParse(data);
    if (head.success) checkHead(found, head.data, revision, roots);
    else found.faults.push(`The head at revision ${revision} of ${HEADS_STREAM} is none that this release knows.`);
  }
  return found;
};

const checkHead = (
  found: HeadsInLog,
  head: CommittedHead,
  revision: bigint,
  roots: readonly Uint8Array[] | null,
): void => {
  const place = `at revision ${revision} of ${HEADS_STREAM}`;
  found.expected.push({ size: head.size, root: head.root, from: place, last: head.last });
  const signature = signatureVerdict(head, roots);
  if ("fault" in signature) {
    // The next one goes on from the one before.
    found.faults.push(`The head ${place} is not signed: ${signature.fault}.`);
    return;
  }
  if (signature.signer === "unknown") found.signedByUnknown += 1;
  const before = found.newest && headText(found.newest);
  if (before !== (head.previous && headText(head.previous)) || head.size <= (found.newest?.size ?? 0))
    found.faults.push(`The head ${place} does not go on from the one before.`);
  found.newest = head;
};

/** Whose signature a head has, or why it does not hold. */
const signatureVerdict = (
  head: CommittedHead,
  roots: readonly Uint8Array[] | null,
): { signer: "service" | "unknown" } | { fault: string } => {
  try {
    if (checkSignature(head, roots ?? []).trusted) return { signer: "service" };
    return roots === null ? { signer: "unknown" } : { fault: "its certificate is not under the given roots" };
  } catch (error) {
    if (error instanceof InvalidSignature) return { fault: error.message };
    return { fault: "its signature is of a form that can't be checked" };
  }
};
