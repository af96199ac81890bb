import { systemRandom } from "@rubrica/runtime";
import {
  type RubricaClient,
  rubricaClient,
  type SignerFields,
  samplePdf,
  sampleSigner,
  toolsMissing,
  type Watched,
  type WatchedTask,
} from "@rubrica/test-kit";
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject } from "vitest";
import { type AccountOptions, type Opened, openAccount } from "./accounts.ts";
import { harmOf, isWorthAnotherLook, lineOf } from "./harm.ts";
import { type AttackedService, type Host, OwnHost } from "./host.ts";
import { remoteHost } from "./remote-host.ts";
import { atRest } from "./rest.ts";

/**
 * What an iteration of the event loop computes holds what the machine adds to it, as a collection of garbage, a
 * process that is started or a cache that is shared; what the tree holds, what pools were warm. Both only add: what
 * an attack itself costs, it costs each time.
 */
const ATTEMPTS = 3;

/** A document that waits for its only signer. */
export interface OpenLink {
  id: string;
  url: string;
  /** Its path in the signer's API. */
  signing: string;
}

/** Does something while the neighbour asks nothing. */
export type Alone = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** The service that all attack, what stands beside it, and what those need who attack it. */
export interface Arena {
  readonly service: AttackedService;
  /** The key of the account that attacks in this test: a new one, which may call in bulk. */
  readonly apiKey: string;
  /** The name of that account where tasks wait for helpers. */
  readonly caller: string;
  readonly client: RubricaClient;
  /** Opens one more account. */
  account(options: AccountOptions): Promise<Opened>;
  /** A new document. Default: of the account that attacks. */
  link(client?: RubricaClient, fields?: object): Promise<OpenLink>;
  /** The requests that were watched in the last attack, as the service saw them begin and end. */
  readonly watched: readonly Watched[];
  /** The tasks for helpers in the last attack, in the order in which they came and were begun. */
  readonly tasks: readonly WatchedTask[];
  /** Attacks while the bystanders look on, expects that nobody is harmed, and gives what the attack gave. */
  attack<Result>(what: string, work: (alone: Alone) => Promise<Result>): Promise<Result>;
}

/**
 * Joins the arena for a file of tests, each of which has an account of its own, and must leave the service as it was.
 * @param environment of a service of the file's own. Default: the one that all files of attacks share, where there is one.
 */
export const joinArena = (environment?: Readonly<Record<string, string>>): Arena => {
  const shared = environment ? undefined : (inject("attacksHost") as string | undefined);
  const own = shared === undefined ? new OwnHost(environment) : undefined;
  const host: Host = own ?? remoteHost(shared ?? "");
  const arena = new Client(host);
  // What a service's processes take is read there.
  const isUnknown = toolsMissing("/proc/self/status");
  beforeAll(async () => void (isUnknown || (await arena.join())));
  beforeEach(({ skip }) => (isUnknown ? skip() : arena.join()));
  afterEach(async () => expect(await host.look()).toEqual({ faults: [], warnings: [] }));
  if (own) afterAll(() => own[Symbol.asyncDispose]());
  return arena;
};

/** Files of tests share the phones too, and a phone has one document at a time: each file begins somewhere else. */
let signers = 1_000_000 + 5_000 * Math.floor(systemRandom.fraction() * 10_000);

/** A signer unlike all others. */
export const nextSigner = (): SignerFields => {
  signers += 1;
  return sampleSigner(signers);
};

class Client implements Arena {
  readonly #host: Host;
  #service: AttackedService | undefined;
  apiKey = "";
  caller = "";
  watched: readonly Watched[] = [];
  tasks: readonly WatchedTask[] = [];

  constructor(host: Host) {
    this.#host = host;
  }

  get service(): AttackedService {
    if (!this.#service) throw new Error("the arena is open in hooks and tests alone");
    return this.#service;
  }

  get client(): RubricaClient {
    return rubricaClient({ ...this.service, apiKey: this.apiKey });
  }

  async join(): Promise<void> {
    this.#service = await this.#host.attacked();
    const account = await this.account({ name: "Who attacks", plan: "pro", credits: 1_000_000 });
    this.apiKey = account.apiKey;
    this.caller = account.caller;
  }

  account(options: AccountOptions): Promise<Opened> {
    return openAccount(this.service.dataDir, options);
  }

  async link(requester = this.client, fields = {}): Promise<OpenLink> {
    const { id_seguimiento: id, urls } = await requester.requestDocument(await samplePdf(), [nextSigner()], fields);
    const url = urls[0]?.link ?? "";
    return { id, url, signing: `/api/signing/${new URL(url).pathname.replace(/^\/s\//, "")}` };
  }

  async attack<Result>(what: string, work: (alone: Alone) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      const { report, attacked } = await this.#observed(what, work);
      // What an attack itself came to is not looked at again.
      if (attacked.status === "fulfilled" && attempt < ATTEMPTS && isWorthAnotherLook(report)) continue;
      const harm = harmOf(report);
      // What the attack itself came to may tell why.
      const cause = attacked.status === "rejected" ? `; ${attacked.reason}` : "";
      expect(harm, `${what}: ${harm.join("; ")}${cause}`).toEqual([]);
      if (attacked.status === "rejected") throw attacked.reason;
      return attacked.value;
    }
  }

  async #observed<Result>(what: string, work: (alone: Alone) => Promise<Result>) {
    await atRest(this.service);
    await this.#host.begin();
    const [attacked] = await Promise.allSettled([work((alone) => this.#alone(alone))]);
    const report = await this.#host.end();
    console.info(`${what}: ${lineOf(report)}`);
    this.watched = report.eventLoop?.watched ?? [];
    this.tasks = report.eventLoop?.tasks ?? [];
    return { report, attacked };
  }

  async #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#host.hush();
    try {
      return await work();
    } finally {
      await this.#host.resume();
    }
  }
}
