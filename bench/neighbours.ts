import { constants, setPriority } from "node:os";
import { toolsMissing } from "@rubrica/test-kit";
import { type AttackedService, OwnHost } from "../test/system/attacks/support/host.ts";
import { KINDS } from "../test/system/attacks/support/neighbour.ts";
import { manyKeys } from "../test/system/attacks/support/pdfs.ts";
import { blankPng } from "../test/system/attacks/support/pictures.ts";
import { addressOf, rawConnection, send } from "../test/system/attacks/support/requests.ts";
import { atRest } from "../test/system/attacks/support/rest.ts";
import { type Extent, percentile, type Row, runtime } from "./measure.ts";

const { clock } = runtime;
/** What docs/security.md says of those beside an attack. */
const LIVEZ_MS = 500;
const NEIGHBOUR_TIMES = 5;
const NEIGHBOUR_MS = 250;
const ALONE_MS = 3_000;
const MEGABYTE = 1_048_576;

type Attack = (service: AttackedService) => Promise<unknown>;

const times = <Result>(count: number, work: (index: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

const checks: Attack = ({ url }) => {
  const [headers, body] = [{ "content-type": "application/pdf" }, manyKeys()];
  return times(3, (index) => send(url, { path: "/api/verify", headers, body, from: addressOf(index) }));
};

const objects: Attack = ({ url, apiKey }) => {
  const headers = { "content-type": "application/json", "x-api-key": apiKey };
  const body = `{"z":[${Array.from({ length: (26 * MEGABYTE) / 3 }, () => "{}").join(",")}]}`;
  return times(4, () => send(url, { path: "/api/v2/documentSet", headers, body }));
};

const pictures: Attack = ({ url }) => {
  const [headers, body] = [{ "content-type": "application/json" }, blankPng(4_000).toString("base64")];
  const path = `/api/signing/${"A".repeat(47)}/sign`;
  const drawing = JSON.stringify({ garabato: `data:image/png;base64,${body}` });
  return times(40, () => send(url, { path, headers, body: drawing }));
};

const halves: Attack = async ({ port, apiKey }) => {
  const bytes = 25 * MEGABYTE;
  const head = `POST /api/v2/documentSet HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\nx-api-key: ${apiKey}\r\n`;
  const connections = Array.from({ length: 24 }, (_, index) => rawConnection(port, addressOf(index)));
  for (const { socket } of connections) {
    socket.write(`${head}content-length: ${bytes}\r\n\r\n`);
    socket.write(Buffer.alloc(bytes - 1, 0x20));
  }
  await clock.wait(ALONE_MS);
  for (const connection of connections) connection[Symbol.dispose]();
};

const attacks: readonly { what: string; attack: Attack }[] = [
  { what: "three PDFs of a million keys", attack: checks },
  { what: "four bodies of 26 MB of empty objects", attack: objects },
  { what: "40 drawings to a link that there is not", attack: pictures },
  { what: "24 half-sent bodies with a key", attack: halves },
];

/** What bystanders waited, in milliseconds: the longest for `/livez`, and each kind's own waits. */
class Waits {
  #livezMs = 0;
  readonly #neighbourMs = new Map<string, number[]>();

  async add(host: OwnHost, work: () => Promise<unknown>): Promise<void> {
    await atRest(await host.attacked());
    await host.begin();
    await work();
    const { seen } = await host.end();
    if (seen.refused.length > 0) throw new Error(seen.refused.join("; "));
    this.#livezMs = Math.max(this.#livezMs, ...seen.livezMs);
    for (const kind of KINDS)
      this.#neighbourMs.set(kind, [...(this.#neighbourMs.get(kind) ?? []), ...seen.neighbourMs[kind]]);
  }

  get livezMs(): number {
    return this.#livezMs;
  }

  p99(kind: string): number {
    return percentile(this.#neighbourMs.get(kind) ?? [], 0.99);
  }

  toString(): string {
    return `/livez ≤ ${this.#livezMs.toFixed(0)} ms, p99 ${KINDS.map((kind) => `${kind} ${this.p99(kind).toFixed(0)}`).join(", ")} ms`;
  }
}

/** Whoever attacks has a machine of their own: here they take what the service and its bystanders leave of it. */
const fromAfar = async (work: () => Promise<unknown>): Promise<void> => {
  // Only root gets a priority back.
  const mayReturn = process.getuid?.() === 0;
  if (mayReturn) setPriority(constants.priority.PRIORITY_LOW);
  try {
    await work();
  } finally {
    if (mayReturn) setPriority(constants.priority.PRIORITY_NORMAL);
  }
};

const rowOf = (what: string, alone: Waits, under: Waits): Row => {
  const worst = Math.max(...KINDS.map((kind) => under.p99(kind) / alone.p99(kind)));
  const isHeld =
    under.livezMs <= LIVEZ_MS &&
    KINDS.every((kind) => under.p99(kind) <= Math.max(NEIGHBOUR_MS, NEIGHBOUR_TIMES * alone.p99(kind)));
  return {
    what: `neighbours of ${what}`,
    measured: `${under}`,
    baseline: `alone: ${alone}`,
    result: `${worst.toFixed(1)} ×, ${isHeld ? "held" : "NOT HELD"}`,
    isHeld,
    aim: `/livez ≤ ${LIVEZ_MS} ms; ${NEIGHBOUR_TIMES} × or ${NEIGHBOUR_MS} ms`,
    note: "helpers work at a lower priority than the service; an attack waits in a line of its own",
  };
};

/** What `/livez` and another account wait under attack and without one, turn by turn; nothing where there is no `/proc`. */
export const benchNeighbours = async ({ quick }: Extent): Promise<Row[]> => {
  if (toolsMissing("/proc/self/status")) return [];
  await using host = new OwnHost();
  // The first requests compile what they run through.
  await new Waits().add(host, () => clock.wait(ALONE_MS));
  const rows: Row[] = [];
  for (const { what, attack } of attacks) {
    const [alone, under] = [new Waits(), new Waits()];
    for (let round = 0; round < (quick ? 1 : 5); round += 1) {
      await alone.add(host, () => clock.wait(ALONE_MS));
      const service = await host.attacked();
      await under.add(host, () => fromAfar(() => attack(service)));
    }
    rows.push(rowOf(what, alone, under));
  }
  return rows;
};
