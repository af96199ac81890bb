import { hash } from "node:crypto";

const LEAF = Uint8Array.of(0);
const NODE = 1;
const HASH_BYTES = 32;

// In one call: a hash object for each of millions of nodes takes three times as long.
const sha256 = (data: string | Uint8Array): Buffer => hash("sha256", data, "buffer");
const leafHash = (leaf: string | Uint8Array): Buffer =>
  sha256(typeof leaf === "string" ? `\0${leaf}` : Buffer.concat([LEAF, leaf]));

/** Written anew for each node. */
const node = new Uint8Array(1 + 2 * HASH_BYTES).fill(NODE, 0, 1);
const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer => {
  node.set(left, 1);
  node.set(right, 1 + HASH_BYTES);
  return sha256(node);
};

/** What a tree goes on from: how many leaves it has, and the roots (hex) of its full subtrees, the largest first. */
export interface TreeState {
  size: number;
  frontier: readonly string[];
}

/** How many full subtrees a tree of this size has: the ones of the number's binary form. */
const fullSubtrees = (size: number): number => size.toString(2).replaceAll("0", "").length;

/**
 * The Merkle tree of RFC 6962, 2.1 (SHA-256), as leaves are appended: it holds a hash for each full subtree and no leaf,
 * so that it goes on from what a former one came to.
 */
export class MerkleTree {
  #size: number;
  readonly #frontier: Buffer[];

  /** @throws {RangeError} when no tree of that size has that frontier. */
  constructor({ size, frontier }: TreeState = { size: 0, frontier: [] }) {
    if (frontier.length !== fullSubtrees(size)) throw new RangeError("no tree of this size has such a frontier");
    this.#size = size;
    this.#frontier = frontier.map((one) => Buffer.from(one, "hex"));
  }

  get size(): number {
    return this.#size;
  }

  /** Roots (hex) of the full subtrees, the largest first. */
  get frontier(): string[] {
    return this.#frontier.map((one) => one.toString("hex"));
  }

  /** Appends a leaf by its bytes, or by the text that they are the UTF-8 of. */
  append(leaf: string | Uint8Array): void {
    let root = leafHash(leaf);
    // Two full subtrees of one height are one of the next.
    for (let rest = this.#size; rest % 2 === 1; rest = (rest - 1) / 2)
      root = nodeHash(this.#frontier.pop() as Buffer, root);
    this.#frontier.push(root);
    this.#size += 1;
  }

  /** The tree's hash, in lower-case hex. */
  root(): string {
    const root = this.#frontier.reduceRight<Buffer | undefined>(
      (right, left) => (right ? nodeHash(left, right) : left),
      undefined,
    );
    return (root ?? sha256("")).toString("hex");
  }
}

/** An event as the log's tree has it: where it stands in its stream, and its hash; no position, which is each store's own. */
export interface EventLeaf {
  stream: string;
  revision: bigint;
  hash: string;
}

/** A leaf as text: a JSON array without blanks, as `["document-…",0,"9f…"]`. What is hashed is its UTF-8. */
export const leafText = ({ stream, revision, hash }: EventLeaf): string =>
  JSON.stringify([stream, Number(revision), hash]);

/** The leaf of an event as it is stored; a hash that can't be read is empty. */
export const leafOf = ({
  stream,
  revision,
  metadata,
}: {
  stream: string;
  revision: bigint;
  metadata: Readonly<Record<string, unknown>>;
}): EventLeaf => ({ stream, revision, hash: typeof metadata.hash === "string" ? metadata.hash : "" });

/** Appends an event's leaf to the log's tree. */
export const appendLeaf = (tree: MerkleTree, leaf: EventLeaf): void => tree.append(leafText(leaf));
