import { join } from "node:path";
import { systemClock } from "@rubrica/runtime";
import {
  type EventLoopReport,
  eventLoopOf,
  eventually,
  rubricaClient,
  runCommandLine,
  type ServiceProcess,
  samplePdf,
  sampleSigner,
  startServiceProcess,
  temporaryFolder,
  warningsIn,
} from "@rubrica/test-kit";
import { openAccount } from "./accounts.ts";
import type { Observation } from "./bystander.ts";
import { type Bystanders, startBystanders } from "./bystanders.ts";
import type { Neighbour } from "./neighbour.ts";

/** Of what a process that ended wrote last, in characters. */
const END_OF_OUTPUT = 500;
const FAULT = /^.*"status":500.*$/gm;

/** The service that is attacked. */
export interface AttackedService {
  url: string;
  port: number;
  pid: number;
  dataDir: string;
  /** The demo account's. */
  apiKey: string;
  simulatorKey: string;
  /** Where it tells of its main thread: see `eventLoopOf`. */
  eventLoopSocket: string;
}

/** What is seen of an attack. */
export interface Report {
  /** The last words of a service that ended. */
  ended?: string;
  /** Lines of its log that tell of a 500. */
  faults: string[];
  /** What the runtime warned of in it. */
  warnings: string[];
  /** What its main thread did; nothing when it ended. */
  eventLoop?: EventLoopReport;
  /** What the bystanders saw. */
  seen: Observation;
}

/** What attacks ask of whoever holds the service. */
export interface Host {
  /** The service; started when there is none, or it has ended. */
  attacked(): Promise<AttackedService>;
  /** From now on the bystanders look on … */
  begin(): Promise<void>;
  /** … until now. */
  end(): Promise<Report>;
  /** The neighbour asks nothing between these two. */
  hush(): Promise<void>;
  resume(): Promise<void>;
  /** Whether the service has ended, and 500s that it answered and warnings that it printed, since that was last told. */
  look(): Promise<Omit<Report, "seen" | "eventLoop">>;
}

/** A host in this process. It starts nothing before it is asked to. */
export class OwnHost implements Host, AsyncDisposable {
  readonly #environment: Readonly<Record<string, string>>;
  readonly #folder = temporaryFolder();
  readonly #dataDir = join(this.#folder.path, "data");
  #service: ServiceProcess | undefined;
  #starts = 0;
  #bystanders: Bystanders | undefined;
  #eventLoopSocket = "";
  #logRead = 0;
  #warningsTold = 0;
  #told: string | undefined;

  constructor(environment: Readonly<Record<string, string>> = {}) {
    this.#environment = environment;
  }

  async attacked(): Promise<AttackedService> {
    const before = this.#service;
    const service = before && (await isRunning(before)) ? before : await this.#start(before?.port);
    const { url, port, pid, apiKey, simulatorKey } = service;
    if (!this.#bystanders) {
      const { apiKey } = await openAccount(this.#dataDir, { name: "A neighbour" });
      const neighbour = await neighbourOf(service, apiKey);
      this.#bystanders = await startBystanders({ url, pid, neighbour });
    } else if (service !== before) await this.#bystanders.watch(pid);
    return { url, port, pid, dataDir: this.#dataDir, apiKey, simulatorKey, eventLoopSocket: this.#eventLoopSocket };
  }

  async begin(): Promise<void> {
    await this.attacked();
    await eventLoopOf(this.#eventLoopSocket, { anew: true });
    await this.#bystanders?.begin();
  }

  async end(): Promise<Report> {
    if (!this.#bystanders) throw new Error("nothing was begun");
    const seen = await this.#bystanders.end();
    const eventLoop = await eventLoopOf(this.#eventLoopSocket).catch(() => undefined);
    return { ...(await this.look()), seen, ...(eventLoop && { eventLoop }) };
  }

  hush = async (): Promise<void> => this.#bystanders?.hush();
  resume = async (): Promise<void> => this.#bystanders?.resume();

  async look(): Promise<Omit<Report, "seen" | "eventLoop">> {
    const service = this.#service;
    if (!service) return { faults: [], warnings: [] };
    const log = service.log().slice(this.#logRead);
    // What is not yet a whole line is read the next time.
    const whole = log.slice(0, log.lastIndexOf("\n") + 1);
    this.#logRead += whole.length;
    const faults = whole.match(FAULT) ?? [];
    const isAlive = await isRunning(service);
    const warnings = warningsIn(service.stderr()).slice(this.#warningsTold);
    this.#warningsTold += warnings.length;
    if (isAlive) return { faults, warnings };
    this.#told = service.stderr().slice(-END_OF_OUTPUT);
    return { faults, warnings, ended: this.#told };
  }

  /** @throws {Error} when the service ended by itself, answered a 500 that nobody heard of, or a chain does not hold. */
  async [Symbol.asyncDispose](): Promise<void> {
    try {
      if (!this.#service) return;
      const { ended, faults, warnings } = await this.look();
      const { stdout, stderr } = await runCommandLine({ DATA_DIR: this.#dataDir }, "audit", "verify");
      if (ended ?? this.#told) throw new Error(`the service ended: ${ended ?? this.#told}`);
      if (faults.length + warnings.length > 0) throw new Error([...faults, ...warnings].join("\n"));
      if (!stdout.includes("every chain holds")) throw new Error(stdout + stderr);
    } finally {
      await this.#bystanders?.[Symbol.asyncDispose]();
      await this.#service?.[Symbol.asyncDispose]();
      this.#folder[Symbol.dispose]();
    }
  }

  /** At the same address as before: what is attacked next is judged for itself, and disposing tells of an end. */
  async #start(port?: number): Promise<ServiceProcess> {
    this.#starts += 1;
    this.#eventLoopSocket = join(this.#folder.path, `event-loop-${this.#starts}`);
    this.#logRead = 0;
    this.#warningsTold = 0;
    this.#service = await startServiceProcess({
      dataDir: this.#dataDir,
      environment: this.#environment,
      eventLoopSocket: this.#eventLoopSocket,
      ...(port !== undefined && { port }),
    });
    return this.#service;
  }
}

const isRunning = ({ ended }: ServiceProcess): Promise<boolean> =>
  Promise.race([ended.then(() => false), systemClock.wait(0).then(() => true)]);

/** An account with a document that is signed and sealed. */
const neighbourOf = async ({ url }: ServiceProcess, apiKey: string): Promise<Neighbour> => {
  const client = rubricaClient({ url, apiKey });
  const pdf = await samplePdf();
  const { id_seguimiento: documentId, urls } = await client.requestDocument(pdf, [sampleSigner(899_999)]);
  const link = urls[0]?.link ?? "";
  await client.sign(link);
  await eventually("the neighbour's sealed document", async () => {
    return (await client.read(`/api/v2/documents/${documentId}`)).status === 200;
  });
  const signing = `/api/signing/${new URL(link).pathname.replace(/^\/s\//, "")}`;
  return { apiKey, documentId, signing, pdf: pdf.toString("base64") };
};
