import { appendLeaf, eventHash, type HashedEvent, leafOf, MerkleTree, type TreeHead } from "@rubrica/events";

/** An event of an export, as a line has it. */
export interface Line {
  position: string;
  id: string;
  stream: string;
  revision: number;
  type: string;
  data: Record<string, unknown>;
  personal: string | null;
  metadata: Record<string, unknown>;
}

export const hashedOf = (line: Line): HashedEvent => ({ ...line, revision: BigInt(line.revision) });

/** Computes the chain of a stream anew, as anybody can: its revisions, links and hashes. */
export const rehashed = (lines: readonly Line[], stream: string): Line[] => {
  let previousHash = "0".repeat(64);
  let revision = 0;
  return lines.map((line) => {
    if (line.stream !== stream) return line;
    const placed = { ...line, revision };
    const hash = eventHash(hashedOf(placed), previousHash);
    const linked = { ...placed, metadata: { ...placed.metadata, hash, previousHash } };
    previousHash = hash;
    revision += 1;
    return linked;
  });
};

/** Gives the lines the positions that their order asks for. */
export const renumbered = (lines: readonly Line[]): Line[] =>
  lines.map((line, index) => {
    const place = String(index + 1).padStart(20, "0");
    return { ...line, position: `${place}-${place}` };
  });

/** The head over these events, as somebody kept it. */
export const headOver = (lines: readonly Line[]): TreeHead => {
  const tree = new MerkleTree();
  for (const line of lines) appendLeaf(tree, leafOf(hashedOf(line)));
  return { size: tree.size, root: tree.root() };
};

/** Accounts whose streams the log holds, with so many events each. */
const ACCOUNTS = 6;
const EVENTS_OF_EACH = 4;

/** A log of some streams whose events come in turn, a minute apart. */
export const honestLog = (): Line[] => {
  const lines = Array.from({ length: ACCOUNTS * EVENTS_OF_EACH }, (_, index): Line => {
    const type = index < ACCOUNTS ? "AccountOpened" : "PlanChanged";
    const id = `019aa5c0-0000-5000-8000-${index.toString().padStart(12, "0")}`;
    const at = new Date(Date.UTC(2026, 10, 21) + index * 60_000).toISOString();
    const stream = `account-a${index % ACCOUNTS}`;
    const metadata = { eventId: id, accountId: "a1", at, actor: "operator", schemaVersion: 1 };
    return {
      position: "",
      id,
      stream,
      revision: 0,
      type,
      data: { plan: "pro", number: index },
      personal: null,
      metadata,
    };
  });
  const streams = new Set(lines.map(({ stream }) => stream));
  return renumbered([...streams].reduce<readonly Line[]>(rehashed, lines));
};
