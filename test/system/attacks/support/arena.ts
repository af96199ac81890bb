import { execFile } from "node:child_process";
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { systemClock } from "@rubrica/runtime";
import {
  eventually,
  mainOf,
  type RubricaClient,
  rubricaClient,
  type ServiceProcess,
  samplePdf,
  sampleSigner,
  startServiceProcess,
  temporaryFolder,
} from "@rubrica/test-kit";
import { expect } from "vitest";
import type { Surroundings } from "./bystander.ts";
import { startBystanders } from "./bystanders.ts";
import { harmOf, lineOf } from "./harm.ts";

const CLI = mainOf("cli");
const ALONE_MS = 3_000;
/** What held somebody up is done again: a machine that does much else may hold up anybody. */
const ATTEMPTS = 5;
/** Of what a process that ended wrote last, in characters. */
const LAST_WORDS = 500;

/** For attacks that are to be answered and not counted: whoever means harm has many keys, links and addresses. */
export const unlimited = {
  RATE_LIMIT_PER_MINUTE: "1000000",
  RATE_LIMIT_PER_LINK: "1000000",
  RATE_LIMIT_PER_ADDRESS: "1000000",
};

/** An account, as `rubrica account create` gives it. */
interface AccountMade {
  account_id: string;
  api_key: string;
}

/** A document that waits for its only signer. */
export interface OpenLink {
  id: string;
  url: string;
  /** Its path in the signer's API. */
  signing: string;
}

/** One running service, what stands beside it, and what those need who attack it. */
export interface Arena {
  service: ServiceProcess;
  dataDir: string;
  /** The demo account's, which attacks. */
  client: RubricaClient;
  /** The API key of a new account. `options` as the command line has them: `--credits`, `100`. */
  account(name: string, ...options: string[]): Promise<string>;
  /** A new document. Default: the demo account's. */
  link(client?: RubricaClient, fields?: object): Promise<OpenLink>;
  /**
   * Attacks while the bystanders look on, expects that they are not harmed, and gives what the attack gave. Attacks
   * again, four times at most, when somebody was held up.
   */
  attack<Result>(what: string, work: () => Promise<Result>): Promise<Result>;
  /** Expects that the process lives, that nothing was answered by a 500 and that all chains hold; then ends it. */
  close(): Promise<void>;
}

/** Starts a service in a process of its own, and times a neighbour's ordinary requests while nobody else is there. */
export const openArena = async (environment: Readonly<Record<string, string>> = {}): Promise<Arena> => {
  const folder = temporaryFolder();
  const dataDir = join(folder.path, "data");
  let service = await startServiceProcess({ dataDir, environment });
  const { port } = service;
  let deaths = 0;
  /** What is attacked next is judged for itself: a service that ended is started anew, and `close` tells of it. */
  const revive = async () => {
    if (await isRunning(service)) return;
    service = await startServiceProcess({ dataDir, environment, port });
    bystanders.watch(service.pid);
  };
  const client = rubricaClient(service);
  const rubrica = async (...args: string[]): Promise<string> => {
    const env = { PATH: process.env.PATH, DATA_DIR: dataDir };
    return (await promisify(execFile)(process.execPath, [CLI, ...args], { env })).stdout;
  };
  const account: Arena["account"] = async (name, ...options) => {
    const printed = await rubrica("account", "create", "--name", name, "--json", ...options);
    return (JSON.parse(printed) as AccountMade).api_key;
  };
  const pdf = await samplePdf();
  let signers = 900_000;
  const link: Arena["link"] = async (requester = client, fields = {}) => {
    signers += 1;
    const { id_seguimiento: id, urls } = await requester.requestDocument(pdf, [sampleSigner(signers)], fields);
    const url = urls[0]?.link ?? "";
    return { id, url, signing: `/api/signing/${new URL(url).pathname.replace(/^\/s\//, "")}` };
  };
  const around = await neighbourOf(service, await account("A neighbour"), link);
  const bystanders = await startBystanders({ ...around, pdf: pdf.toString("base64") });
  const look = () => bystanders.observe(() => systemClock.wait(ALONE_MS));
  // The first requests of all kinds compile what they run through, and start what waits to be asked.
  await look();
  const { seen: alone } = await look();
  console.info(`nobody attacks: ${lineOf(alone)}`);
  return {
    get service() {
      return service;
    },
    dataDir,
    client,
    account,
    link,
    async attack(what, work) {
      await revive();
      for (let attempt = 1; ; attempt += 1) {
        const { seen, result } = await bystanders
          .observe(() => fromAfar(work))
          .finally(async () => {
            if (await isRunning(service)) return;
            deaths += 1;
            expect.fail(`${what}: the process ended: ${service.stderr().slice(-LAST_WORDS)}`);
          });
        console.info(`${what}: ${lineOf(seen)}`);
        const harm = harmOf(seen, alone);
        if (harm.length === 0) return result;
        if (attempt === ATTEMPTS) expect.fail(`${what}: ${harm.join("; ")}`);
      }
    },
    async close() {
      try {
        bystanders.end();
        expect(deaths, "how often the process ended").toBe(0);
        expect(service.log().match(/^.*"status":500.*$/gm) ?? []).toEqual([]);
        expect(await rubrica("audit", "verify")).toContain("every chain holds");
      } finally {
        await service[Symbol.asyncDispose]();
        folder[Symbol.dispose]();
      }
    },
  };
};

/** Whoever attacks has a machine of their own: here they take what the service, its helpers and bystanders leave of it. */
const fromAfar = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  // Only root gets a priority back.
  const mayReturn = process.getuid?.() === 0;
  if (mayReturn) setPriority(constants.priority.PRIORITY_LOW);
  try {
    return await work();
  } finally {
    if (mayReturn) setPriority(constants.priority.PRIORITY_NORMAL);
  }
};

const isRunning = ({ ended }: ServiceProcess): Promise<boolean> =>
  Promise.race([ended.then(() => false), systemClock.wait(0).then(() => true)]);

/** Another account, with a document that is signed and sealed. */
const neighbourOf = async (
  { url, pid }: ServiceProcess,
  apiKey: string,
  link: Arena["link"],
): Promise<Omit<Surroundings, "pdf">> => {
  const client = rubricaClient({ url, apiKey });
  const { id, signing, url: signingUrl } = await link(client);
  await client.sign(signingUrl);
  await eventually("the neighbour's sealed document", async () => {
    return (await client.send("GET", `/api/v2/documents/${id}`)).status === 200;
  });
  return { url, pid, apiKey, documentId: id, signing };
};
