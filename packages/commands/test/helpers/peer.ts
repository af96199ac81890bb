import { claimTurn, grantCredits, openAccount, spendCredits } from "@rubrica/domain";
import type { EventStore } from "@rubrica/event-store";
import { openEmbeddedEventStore } from "@rubrica/event-store/embedded";
import { derivedId } from "@rubrica/events";
import { Journal } from "@rubrica/journal";
import { type Random, type Runtime, systemClock, yieldToOthers } from "@rubrica/runtime";
import { seededRandom, testRuntime } from "@rubrica/runtime/testing";
import { createSecrets } from "@rubrica/secrets";
import { openEmbeddedKeyStore } from "@rubrica/storage/embedded";
import { createHandlers, type Handlers } from "../../src/index.ts";

const ROUNDS_A_LINE = 10;
/** Rounds take turns between accounts, so that as many may be played at once. */
export const LANES = 10;
const MAX_PAUSES = 4;

/** The account of a round's spending. */
export const accountOfRound = (round: number): string => derivedId("account", String(round % LANES));

/** The phone line of a round's claims: some rounds of an account share one. */
export const lineOfRound = (round: number): string =>
  `${round % LANES}${Math.floor(round / LANES / ROUNDS_A_LINE)}`.padStart(64, "0");

const contextOf = (commandId: string, accountId: string) => ({
  commandId,
  accountId,
  actor: "operator",
  correlationId: commandId,
  causationId: commandId,
});

/** One of several processes on one store, as far as the store can tell: its own connections, handlers and chance. */
export interface Peer {
  handlers: Handlers;
  store: EventStore;
  /** What every peer does in the round, under the same command ids. */
  same(round: number): Promise<void>;
  /** What this one does alone. */
  own(round: number): Promise<void>;
  close(): Promise<void>;
}

/** The store, with pauses by chance in front of it, so that each round goes another way. */
const paused = (store: EventStore, random: Random): EventStore => {
  const pause = async () => {
    for (let turns = Math.floor(random.fraction() * MAX_PAUSES); turns > 0; turns--) await yieldToOthers();
  };
  return Object.assign(Object.create(store), {
    append: async (...request: Parameters<EventStore["append"]>) => {
      await pause();
      return store.append(...request);
    },
    readStream: async function* (...request: Parameters<EventStore["readStream"]>) {
      await pause();
      yield* store.readStream(...request);
    },
  } satisfies Partial<EventStore>);
};

/** Opens a peer on the store's file. Each needs a seed of its own. */
export const openPeer = (path: string, name: string, seed: number): Peer => {
  const random = seededRandom(seed);
  const runtime: Runtime = { ...testRuntime(seed), clock: systemClock, random };
  const secrets = createSecrets({ current: Buffer.alloc(32, 1) });
  const keys = openEmbeddedKeyStore({ ...runtime, path: `${path}.keys`, secrets });
  const store = openEmbeddedEventStore({ ...runtime, path });
  const handlers = createHandlers(new Journal(paused(store, random), keys, runtime), runtime);
  const act = async (command: string, round: number) => {
    const accountId = accountOfRound(round);
    const claim = { documentId: derivedId("document", command), signerId: derivedId("signer", command) };
    const spend = { bulkId: derivedId("bulk", command), amount: 1 };
    await Promise.all([
      handlers.accounts.handle(accountId, spendCredits, spend, contextOf(`spend ${command}`, accountId)),
      handlers.lines.handle(lineOfRound(round), claimTurn, claim, contextOf(`claim ${command}`, accountId)),
    ]);
  };
  return {
    handlers,
    store,
    same: (round) => act(`same ${round}`, round),
    own: (round) => act(`${name} ${round}`, round),
    async close() {
      await store.close();
      await keys.close();
    },
  };
};

/** Gives each account as many credits as `rounds` of two peers take of it. */
export const endow = async ({ accounts }: Handlers, rounds: number): Promise<void> => {
  for (let lane = 0; lane < LANES; lane++) {
    const accountId = accountOfRound(lane);
    const context = contextOf(`endow ${lane}`, accountId);
    await accounts.handle(accountId, openAccount, { accountId, name: "ACME", plan: "pro" }, context);
    await accounts.handle(accountId, grantCredits, { grantId: accountId, amount: (3 * rounds) / LANES }, context);
  }
};
