import { systemClock } from "@rubrica/runtime";
import { eventually } from "@rubrica/test-kit";
import { expect, test } from "vitest";
import { joinArena } from "./support/arena.ts";
import { treeBytes } from "./support/process-tree.ts";
import { addressOf, type RawConnection, rawConnection } from "./support/requests.ts";

const MEGABYTE = 1_048_576;
const CHUNK_BYTES = 65_536;
/** What bodies that nobody vouches for may hold all together, with what their connections take beside. */
const ANONYMOUS_BYTES = 160 * MEGABYTE;

const arena = joinArena();

interface HalfSent {
  count: number;
  path: string;
  headers: Readonly<Record<string, string>>;
  megabytes: number;
  /** A status that one of them at least is to be answered with, before it is whole. */
  answered?: number;
}

const statusOf = ({ answer }: RawConnection): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer())?.[1] ?? 0);

/** Sends that many bodies but for their last byte; gives what came back, and the most that the service grew by meanwhile. */
const halfSent = async ({ count, path, headers, megabytes, answered }: HalfSent) => {
  const before = treeBytes(arena.service.pid);
  const bytes = Math.floor(megabytes * MEGABYTE);
  const head = { host: "127.0.0.1", "content-length": String(bytes), ...headers };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  const connections = Array.from({ length: count }, (_, index) => rawConnection(arena.service.port, addressOf(index)));
  const body = Buffer.alloc(bytes - 1, 0x20);
  for (const { socket } of connections) {
    socket.write(`POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
    for (let at = 0; at < body.length; at += CHUNK_BYTES) socket.write(body.subarray(at, at + CHUNK_BYTES));
  }
  let grownBytes = 0;
  await eventually("each body but its end is taken or answered", () => {
    grownBytes = Math.max(grownBytes, treeBytes(arena.service.pid) - before);
    return connections.every((each) => each.socket.writableLength === 0 || statusOf(each) > 0);
  });
  if (answered !== undefined) {
    await eventually(`an answer with ${answered}`, () => connections.some((each) => statusOf(each) === answered));
  }
  const statuses = connections.map(statusOf);
  for (const connection of connections) connection[Symbol.dispose]();
  return { grownBytes, statuses };
};

test("half-sent photos to links that there are not hold next to nothing", async () => {
  const path = `/api/signing/${"A".repeat(47)}/photos/selfie`;
  const { grownBytes, statuses } = await arena.attack("60 half-sent photos", () =>
    // The token is looked at before a byte is read.
    halfSent({ count: 60, path, headers: { "content-type": "image/jpeg" }, megabytes: 9.9, answered: 404 }),
  );
  expect(statuses.every((status) => status === 0 || (status >= 400 && status < 500) || status === 503)).toBe(true);
  expect(grownBytes).toBeLessThan(ANONYMOUS_BYTES);
});

test("half-sent files to be checked have a budget together", async () => {
  const { grownBytes } = await arena.attack("24 half-sent files", () =>
    halfSent({ count: 24, path: "/api/verify", headers: { "content-type": "application/pdf" }, megabytes: 19 }),
  );
  expect(grownBytes).toBeLessThan(ANONYMOUS_BYTES);
});

test("half-sent requests without a good key are refused before they are read", async () => {
  const headers = { "content-type": "application/json", "x-api-key": "nobody's" };
  for (const path of ["/api/v2/documentSet", "/api/documentSet", "/api/sendCargaMasiva"]) {
    const { grownBytes, statuses } = await arena.attack(`16 half-sent requests to ${path}`, () =>
      halfSent({ count: 16, path, headers, megabytes: 25, answered: 401 }),
    );
    expect(statuses.every((status) => status === 0 || status === 401 || status === 429)).toBe(true);
    expect(grownBytes).toBeLessThan(ANONYMOUS_BYTES);
  }
});

test("half-sent requests with a good key leave the tree within its memory, and others their turn", async () => {
  const headers = { "content-type": "application/json", "x-api-key": arena.apiKey };
  const { statuses } = await arena.attack("24 half-sent requests with a key", () =>
    halfSent({ count: 24, path: "/api/v2/documentSet", headers, megabytes: 26 }),
  );
  expect(statuses.every((status) => [0, 429, 503].includes(status))).toBe(true);
});

test("heads that never end, and bodies that come byte by byte, hold up nobody", async () => {
  await arena.attack("200 slow connections", async () => {
    const connections = Array.from({ length: 200 }, (_, index) => rawConnection(arena.service.port, addressOf(index)));
    for (const [index, { socket }] of connections.entries()) {
      socket.write(index % 2 === 0 ? "GET /livez HTTP/1.1\r\nx-slow: " : "POST /api/verify HTTP/1.1\r\n");
      if (index % 2 === 1) socket.write("host: a\r\ncontent-type: application/pdf\r\ncontent-length: 100000\r\n\r\n");
    }
    for (let round = 0; round < 20; round += 1) {
      for (const { socket } of connections) socket.write("a");
      await systemClock.wait(100);
    }
    for (const connection of connections) connection[Symbol.dispose]();
  });
});
