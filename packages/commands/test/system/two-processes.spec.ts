import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { openedAccount } from "@rubrica/domain";
import { ChainVerifier } from "@rubrica/events";
import { hashedForm } from "@rubrica/journal";
import { temporaryFolder } from "@rubrica/test-kit";
import { followWarningsOf } from "@rubrica/test-kit/warnings";
import { expect, test } from "vitest";
import { accountOfRound, endow, LANES, lineOfRound, openPeer, type Peer } from "../helpers/peer.ts";

const ROUNDS = 1_000;
const ROUNDS_OF_PROCESSES = 100;
const PEER_PROCESS = fileURLToPath(new URL("../helpers/peer-process.ts", import.meta.url));

/** Every chain holds, and each of the rounds' commands is there once. */
const assertWhole = async ({ store, handlers }: Peer, rounds: number): Promise<void> => {
  const verifier = new ChainVerifier();
  const claims: string[] = [];
  const spent: string[] = [];
  for await (const event of store.readAll()) {
    expect(verifier.verify(hashedForm(event))).toBe(true);
    const data = event.data.data as { documentId: string; bulkId: string };
    if (event.type === "CreditsSpent") spent.push(data.bulkId);
    if (event.type === "TurnTaken" || event.type === "TurnQueued") claims.push(data.documentId);
  }
  for (const done of [claims, spent]) {
    expect(done).toHaveLength(3 * rounds);
    expect(new Set(done).size).toBe(3 * rounds);
  }
  for (let lane = 0; lane < LANES; lane++)
    expect(openedAccount(await handlers.accounts.load(accountOfRound(lane))).balance).toBe(0);
  expect((await handlers.lines.load(lineOfRound(0))).queue).toHaveLength(3 * 10 - 1);
};

/** The rounds of one account: the same at once, then one more each. */
const playLane = async (lane: number, rounds: number, peers: readonly Pick<Peer, "same" | "own">[]): Promise<void> => {
  for (let round = lane; round < rounds; round += LANES) {
    await Promise.all(peers.map((peer) => peer.same(round)));
    await Promise.all(peers.map((peer) => peer.own(round)));
  }
};
const lanes = Array.from({ length: LANES }, (_, lane) => lane);

test(`two journals on one store, the same commands at once, then one more each: ${ROUNDS} rounds keep every chain`, async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "events.sqlite");
  const peers = [openPeer(path, "left", 1), openPeer(path, "right", 2)] as const;
  await endow(peers[0].handlers, ROUNDS);
  await Promise.all(lanes.map((lane) => playLane(lane, ROUNDS, peers)));
  await assertWhole(peers[0], ROUNDS);
  for (const peer of peers) await peer.close();
});

const startPeer = (path: string, name: string, seed: number) => {
  const child = spawn(process.execPath, ["--trace-warnings", PEER_PROCESS, path, name, String(seed)]);
  const { stdin, stdout } = followWarningsOf(name, child, true);
  const said = createInterface({ input: stdout })[Symbol.asyncIterator]();
  const tell = async (line: string): Promise<void> => {
    stdin.write(`${line}\n`);
    expect((await said.next()).value).toBe(line);
  };
  return {
    same: (round: number) => tell(`same ${round}`),
    own: (round: number) => tell(`own ${round}`),
    async end() {
      const ended = new Promise((resolve) => child.once("close", resolve));
      stdin.end();
      expect(await ended).toBe(0);
    },
    [Symbol.dispose]: () => void child.kill("SIGKILL"),
  };
};

test("so do two processes", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "events.sqlite");
  const here = openPeer(path, "here", 3);
  await endow(here.handlers, ROUNDS_OF_PROCESSES);
  using left = startPeer(path, "left", 4);
  using right = startPeer(path, "right", 5);
  for (const lane of lanes) await playLane(lane, ROUNDS_OF_PROCESSES, [left, right]);
  for (const peer of [left, right]) await peer.end();
  await assertWhole(here, ROUNDS_OF_PROCESSES);
  await here.close();
});
