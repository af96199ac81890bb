import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { appendLeaf, eventHash, leafOf, MerkleTree, type TreeHead } from "@rubrica/events";
import { seededRandom } from "@rubrica/runtime/testing";
import { temporaryFolder } from "@rubrica/test-kit";
import { ExportEnd, ExportError, readExport } from "../src/audit-export.ts";
import { AuditError, verifiedLog } from "../src/audit-verify.ts";

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

const hashedOf = (line: Line) => ({ ...line, revision: BigInt(line.revision) });

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
const renumbered = (lines: readonly Line[]): Line[] =>
  lines.map((line, index) => {
    const place = String(index + 1).padStart(20, "0");
    return { ...line, position: `${place}-${place}` };
  });

/** An export of these events, with the end that fits them: nothing in it contradicts itself. */
export const exportOf = (lines: readonly Line[]): string => {
  const end = new ExportEnd();
  for (const line of lines) end.take(hashedOf(line), line);
  return [...lines.map((line) => JSON.stringify(line)), end.line()].map((line) => `${line}\n`).join("");
};

/** The head over these events, as somebody kept it. */
export const headOver = (lines: readonly Line[]): TreeHead => {
  const tree = new MerkleTree();
  for (const line of lines) appendLeaf(tree, leafOf(hashedOf(line)));
  return { size: tree.size, root: tree.root() };
};

/** One tampering: what whoever can write to the log alone makes of it. `pick` gives a whole number below its argument. */
export type Tampering = (lines: readonly Line[], pick: (below: number) => number) => string;

const without = (lines: readonly Line[], index: number): Line[] => lines.toSpliced(index, 1);
const anyOf = (lines: readonly Line[], pick: (below: number) => number): Line => lines[pick(lines.length)] as Line;

const changed = (line: Line, pick: (below: number) => number): Line => {
  const at = new Date(Date.parse(String(line.metadata.at)) + 1 + pick(1_000_000)).toISOString();
  switch (pick(4)) {
    case 0:
      return { ...line, data: { ...line.data, note: `n${pick(1_000)}` } };
    case 1:
      return { ...line, metadata: { ...line.metadata, actor: `a${pick(1_000)}` } };
    case 2:
      return { ...line, type: line.type === "PlanChanged" ? "BusinessNameChanged" : "PlanChanged" };
    default:
      return { ...line, metadata: { ...line.metadata, at } };
  }
};

const consistent = (lines: readonly Line[], ...streams: string[]): string =>
  exportOf(renumbered(streams.reduce<readonly Line[]>(rehashed, lines)));

/** Each kind by its name. */
export const tamperings: Readonly<Record<string, Tampering>> = {
  "a byte flipped": (lines, pick) => {
    const bytes = Buffer.from(exportOf(lines));
    const at = pick(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << pick(7));
    return bytes.toString("latin1");
  },
  "cut off": (lines, pick) => {
    const text = exportOf(lines);
    return text.slice(0, pick(text.length));
  },
  "its end dropped, and counted anew": (lines, pick) => exportOf(lines.slice(0, 1 + pick(lines.length - 1))),
  "an event dropped": (lines, pick) => exportOf(without(lines, pick(lines.length))),
  "an event dropped, and all computed anew": (lines, pick) => {
    const index = pick(lines.length);
    return consistent(without(lines, index), lines[index]?.stream ?? "");
  },
  "a stream dropped, and all computed anew": (lines, pick) => {
    const { stream } = anyOf(lines, pick);
    return consistent(lines.filter((line) => line.stream !== stream));
  },
  "the end of a stream dropped, and all computed anew": (lines, pick) => {
    const { stream, revision } = anyOf(lines, pick);
    return consistent(lines.filter((line) => line.stream !== stream || line.revision < revision));
  },
  "two events swapped": (lines, pick) => {
    const [one, other] = [pick(lines.length - 1), 1 + pick(lines.length - 1)];
    const second = other <= one ? one + 1 : other;
    return exportOf(lines.with(one, lines[second] as Line).with(second, lines[one] as Line));
  },
  "two events swapped, and all computed anew": (lines, pick) => {
    const one = pick(lines.length - 1);
    const second = one + 1 + pick(lines.length - one - 1);
    const [first, last] = [lines[one] as Line, lines[second] as Line];
    return consistent(lines.with(one, last).with(second, first), first.stream, last.stream);
  },
  "an event doubled": (lines, pick) => {
    const index = pick(lines.length);
    return exportOf(lines.toSpliced(index, 0, lines[index] as Line));
  },
  "an event doubled, and all computed anew": (lines, pick) => {
    const index = pick(lines.length);
    const line = lines[index] as Line;
    return consistent(lines.toSpliced(index, 0, line), line.stream);
  },
  "an event changed": (lines, pick) => {
    const index = pick(lines.length);
    return exportOf(lines.with(index, changed(lines[index] as Line, pick)));
  },
  "an event changed, and all computed anew": (lines, pick) => {
    const index = pick(lines.length);
    const line = lines[index] as Line;
    return consistent(lines.with(index, changed(line, pick)), line.stream);
  },
  "a stream by another name, and all computed anew": (lines, pick) => {
    const { stream } = anyOf(lines, pick);
    const name = `account-x${pick(1_000)}`;
    return consistent(
      lines.map((line) => (line.stream === stream ? { ...line, stream: name } : line)),
      name,
    );
  },
};

/** What names a fault: each kind of tampering has to come to one of these. */
const NAMED =
  /cut off|stands twice|once more|does not hold|is broken at|earlier than|is no event|no position|another id|a key twice|a field that|over \d+ events|is empty|after the export's end|do not hold/;

/** Accounts whose streams the log holds, with so many events each. */
const ACCOUNTS = 6;
const EVENTS_OF_EACH = 4;

/** A log of some streams whose events come in turn, a minute apart. */
const honestLog = (): Line[] => {
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

/** What is said of an export by who has the head; null when it is said to hold. */
const said = async (path: string, head: TreeHead): Promise<string | null> => {
  const heads = { expected: [], newest: null, faults: [], lost: [], losses: 0, unvouched: 0 };
  try {
    await verifiedLog(readExport(path), {
      heads,
      kept: [{ ...head, from: "that was kept" }],
      known: null,
      leaves: null,
    });
    return null;
  } catch (error) {
    if (error instanceof AuditError || error instanceof ExportError) return error.message;
    throw error;
  }
};

/** Tamperings of a kind, by seeds, that are not found, or not named. */
export const undetected = async (kind: string, count: number, seed = 0): Promise<string[]> => {
  using folder = temporaryFolder();
  const path = join(folder.path, "events.ndjson");
  const lines = honestLog();
  const head = headOver(lines);
  writeFileSync(path, exportOf(lines));
  if ((await said(path, head)) !== null) throw new Error("the honest log does not hold");
  const missed: string[] = [];
  for (let number = 0; number < count; number++) {
    const random = seededRandom(seed * 100_000 + number);
    const forged = tamperings[kind]?.(lines, (below) => Math.floor(random.fraction() * below)) ?? "";
    writeFileSync(path, forged, "latin1");
    const fault = await said(path, head);
    if (forged !== exportOf(lines) && (fault === null || !NAMED.test(fault))) missed.push(`${number}: ${fault}`);
  }
  return missed;
};
