import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { appendLeaf, leafOf, leafText, MerkleTree } from "../src/index.ts";

// The leaves and roots that Certificate Transparency's own implementation is tested with (google/certificate-transparency,
// merkletree/merkle_tree_test.cc).
const LEAVES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"].map(
  (hex) => Buffer.from(hex, "hex"),
);
const ROOTS = [
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
  "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
  "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

test("the root is RFC 6962's", () => {
  const tree = new MerkleTree();
  expect(tree.root()).toBe(createHash("sha256").digest("hex"));
  const roots = LEAVES.map((leaf) => {
    tree.append(leaf);
    return tree.root();
  });
  expect(roots).toEqual(ROOTS);
  expect(tree.size).toBe(8);
});

test("a tree goes on from what a former one came to", () => {
  for (let cut = 0; cut <= LEAVES.length; cut++) {
    const before = new MerkleTree();
    for (const leaf of LEAVES.slice(0, cut)) before.append(leaf);
    const after = new MerkleTree({ size: before.size, frontier: before.frontier });
    for (const leaf of LEAVES.slice(cut)) after.append(leaf);
    expect(after.root()).toBe(ROOTS.at(-1));
  }
});

test("a frontier that no tree of the size has is refused", () => {
  expect(() => new MerkleTree({ size: 3, frontier: ["00".repeat(32)] })).toThrow(RangeError);
});

test("an event's leaf is its stream, its revision and its hash", () => {
  const leaf = leafOf({ stream: "document-1", revision: 2n, metadata: { hash: "9f", at: "ignored" } });
  expect(leafText(leaf)).toBe('["document-1",2,"9f"]');
  const [one, other] = [new MerkleTree(), new MerkleTree()];
  appendLeaf(one, leaf);
  other.append(Buffer.from('["document-1",2,"9f"]'));
  expect(one.root()).toBe(other.root());
  expect(leafOf({ stream: "document-1", revision: 2n, metadata: {} }).hash).toBe("");
});
