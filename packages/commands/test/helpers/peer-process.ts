// A peer in a process of its own: `peer-process.ts <path> <name> <seed>`. Each line that it is told is what to do
// (`same` or `own`) and a round; it says the line again when that is done, and ends with its input.
import { createInterface } from "node:readline";
import { openPeer } from "./peer.ts";

const [path = "", name = "", seed = ""] = process.argv.slice(2);
const peer = openPeer(path, name, Number(seed));
for await (const line of createInterface({ input: process.stdin })) {
  const [what, round] = line.split(" ");
  await (what === "same" ? peer.same(Number(round)) : peer.own(Number(round)));
  console.log(line);
}
await peer.close();
