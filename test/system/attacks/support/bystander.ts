// A process of its own beside the attacked service: asks as a monitor and as another account do, and says how long that
// took. What attacks can thus be as busy as it likes without being taken for a service that is slow.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { systemClock } from "@rubrica/runtime";
import { freePort } from "@rubrica/test-kit";
import { treeBytes } from "./process-tree.ts";
import { type Answered, type Sent, send } from "./requests.ts";

const PROBE_EVERY_MS = 50;
const MEMORY_EVERY_MS = 250;
const NEIGHBOUR_PAUSE_MS = 100;
const NEIGHBOUR_ADDRESS = "127.0.0.3";

/** What a bystander is told about the service. */
export interface Surroundings {
  url: string;
  pid: number;
  /** An account of its own. */
  apiKey: string;
  /** A document of that account that is sealed. */
  documentId: string;
  /** The path of one of its signers in the signer's API. */
  signing: string;
  /** A small PDF, as Base64. */
  pdf: string;
}

/** How it went in one stretch of time. */
export interface Observation {
  /** Each wait for `/livez`, and how many were not answered by 200. */
  livezMs: number[];
  livezFailed: number;
  /** The same waits for a server that does nothing, in a process of its own: what the machine itself adds. */
  idleMs: number[];
  /** Each ordinary request of the neighbour, by what it asked. */
  neighbourMs: Record<string, number[]>;
  /** What the neighbour was answered other than 200. */
  neighbourRefused: string[];
  /** How much of the processor's time went to others on the machine that this virtual one is a part of, 0 to 1. */
  stolen: number;
  /** The most that the process tree held, in bytes, LibreOffice apart. */
  peakBytes: number;
}

/** What it is told later: when to look, and which process is weighed. */
export type Order = "begin" | "end" | { pid: number };

const empty = (): Observation => ({
  livezMs: [],
  livezFailed: 0,
  idleMs: [],
  neighbourMs: {},
  neighbourRefused: [],
  stolen: 0,
  peakBytes: 0,
});

/** What the processor did since the machine started: all of it, and what was stolen, in ticks; see proc_stat(5). */
const processorTime = (): { all: number; stolen: number } => {
  const [total = ""] = readFileSync("/proc/stat", "utf8").split("\n");
  const ticks = total.split(/\s+/).slice(1, 9).map(Number);
  return { all: ticks.reduce((sum, each) => sum + each, 0), stolen: ticks[7] ?? 0 };
};

const serveIdly = async (port: number): Promise<void> => {
  const server = createServer((_request, response) => response.end('{"status":"ok"}')).listen(port, "127.0.0.1");
  await once(server, "listening");
  process.send?.("listening");
};

/** What a neighbour asks, one after the other, again and again. */
const ordinaryRequests = ({ apiKey, documentId, signing, pdf }: Surroundings) => {
  const headers = { "x-api-key": apiKey };
  const document = (number: number): Sent => {
    const signer = { name: "Ana Paz", dni: "30123456", dni_country: "AR", phone: `54911${50_000_000 + number}` };
    const body = JSON.stringify({ document: pdf, document_name: "Lease", datos_firmantes: [signer] });
    return { path: "/api/v2/documentSet", headers: { ...headers, "content-type": "application/json" }, body };
  };
  const request = { what: "request", make: document };
  const status = { what: "status", make: (): Sent => ({ path: `/api/v2/signatureStatus/${documentId}`, headers }) };
  const file = { what: "file", make: (): Sent => ({ path: `/api/v2/documents/${documentId}`, headers }) };
  const page = { what: "page", make: (): Sent => ({ path: `${signing}/document` }) };
  // A link is asked less than a key may be.
  const kinds = [request, status, file, page, request, status, file];
  let number = 0;
  return (): { what: string; sent: Sent } => {
    number += 1;
    const { what, make } = kinds[number % kinds.length] as (typeof kinds)[number];
    return { what, sent: make(number) };
  };
};

const observe = async (around: Surroundings): Promise<void> => {
  const idlePort = await freePort();
  const idle: ChildProcess = fork(import.meta.filename, ["idle", String(idlePort)]);
  await once(idle, "message");
  process.once("disconnect", () => {
    idle.kill();
    process.exit(0);
  });
  let { pid } = around;
  let seen: Observation | undefined;
  const inFlight = new Set<Promise<void>>();
  const every = async (pauseMs: number, work: (seen: Observation) => Promise<void> | void) => {
    for (;;) {
      if (seen) {
        const working = Promise.resolve(work(seen));
        inFlight.add(working);
        await working;
        inFlight.delete(working);
      }
      await systemClock.wait(pauseMs);
    }
  };
  const livez = (url: string): Promise<Answered> => send(url, { path: "/livez" });
  void every(PROBE_EVERY_MS, async (now) => {
    const { status, ms } = await livez(around.url);
    now.livezMs.push(ms);
    if (status !== 200) now.livezFailed += 1;
  });
  void every(PROBE_EVERY_MS, async ({ idleMs }) => {
    idleMs.push((await livez(`http://127.0.0.1:${idlePort}`)).ms);
  });
  void every(MEMORY_EVERY_MS, (now) => {
    now.peakBytes = Math.max(now.peakBytes, treeBytes(pid));
  });
  const next = ordinaryRequests(around);
  void every(NEIGHBOUR_PAUSE_MS, async ({ neighbourMs, neighbourRefused }) => {
    const { what, sent } = next();
    const { status, ms } = await send(around.url, { ...sent, from: NEIGHBOUR_ADDRESS });
    neighbourMs[what] = [...(neighbourMs[what] ?? []), ms];
    if (status !== 200) neighbourRefused.push(`${what}: ${status}`);
  });
  let began = processorTime();
  process.on("message", async (order: Order) => {
    if (order === "begin") {
      began = processorTime();
      seen = empty();
      return;
    }
    if (order !== "end") {
      pid = order.pid;
      return;
    }
    const before = seen ?? empty();
    seen = undefined;
    // The longest wait may be one that is not over.
    await Promise.all(inFlight);
    const now = processorTime();
    process.send?.({ ...before, stolen: (now.stolen - began.stolen) / Math.max(1, now.all - began.all) });
  });
  process.send?.("ready");
};

if (process.argv[2] === "idle") await serveIdly(Number(process.argv[3]));
else process.once("message", (around: Surroundings) => void observe(around));
