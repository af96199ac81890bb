import { type CommittedHead, HeadsCommitted, statementBytes, statementOf } from "@rubrica/events";
import { createHttpServer, createLogger } from "@rubrica/http";
import { headsSignedUnder, loadOrCreateSigningIdentity, signStatement } from "@rubrica/pdf";
import { systemRuntime } from "@rubrica/runtime";
import { temporaryFolder } from "@rubrica/test-kit";
import { expect, test } from "vitest";
import { type HeadRoutesDependencies, headRoutes } from "../src/heads.ts";

const runtime = systemRuntime();
const { data } = HeadsCommitted.example;

type Stored = { type: string; data: object };

/** `GET /pki/heads` of a log whose heads' stream holds these events. */
const headsOf = async (
  stored: readonly Stored[],
  query = "",
  newest?: string,
  isSigned = (_: CommittedHead) => true,
) => {
  const events = {
    streamEnd: async () => (stored.length === 0 ? undefined : { revision: BigInt(stored.length - 1) }),
    async *readStream(_stream: string, from = 0n) {
      for (const [index, { type, data: content }] of [...stored.entries()].slice(Number(from)))
        yield {
          type,
          data: { data: content, personal: null },
          revision: BigInt(index),
          metadata: { schemaVersion: 1 },
        };
    },
  } as unknown as HeadRoutesDependencies["events"];
  const logger = createLogger({ clock: runtime.clock, level: "silent" });
  const server = createHttpServer({ runtime, logger });
  await server.register(headRoutes({ events, known: { head: async () => newest }, isSigned }));
  const answer = await server.inject({ url: `/pki/heads${query}` });
  await server.close();
  return { status: answer.statusCode, body: answer.json() };
};

const head = (size: number): Stored => ({ type: "HeadsCommitted", data: { ...data, size } });

test("heads are published, newest first, with what they sign", async () => {
  const { status, body } = await headsOf([head(3), { type: "HeadRequested", data: {} }, head(9)]);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    next: null,
    heads: [
      { number: 2, size: 9 },
      { number: 0, size: 3 },
    ],
  });
  const { at, root, previous, signature, certificateSha256 } = data;
  expect(body.heads[1]).toEqual({
    number: 0,
    size: 3,
    root,
    at,
    previous,
    statement: statementBytes(statementOf(data)).toString(),
    signature,
    certificate_sha256: certificateSha256,
    timestamped_at: null,
  });
});

test("one that was added beyond the newest that is known beside the keys is not published", async () => {
  const forged: Stored = { type: "HeadsCommitted", data: { ...data, size: 9, root: "ab".repeat(32) } };
  const sizesUpTo = async (newest: string | undefined, ...stored: Stored[]) =>
    (await headsOf(stored, "", newest)).body.heads.map(({ size }: { size: number }) => size);
  expect(await sizesUpTo(`3:${data.root}`, head(2), head(3), head(9))).toEqual([3, 2]);
  expect(await sizesUpTo(`9:${data.root}`, head(3), forged)).toEqual([3]);
  expect(await sizesUpTo(undefined, head(3), head(9))).toEqual([9, 3]);
});

test("before the first there are none", async () => {
  expect(await headsOf([])).toEqual({ status: 200, body: { heads: [], next: null } });
});

test("of very many the newest are given, and where the others are", async () => {
  const stored = Array.from({ length: 250 }, (_, index) => head(index + 1));
  const sizes = ({ body }: Awaited<ReturnType<typeof headsOf>>) => body.heads.map(({ size }: { size: number }) => size);
  const first = await headsOf(stored);
  expect([sizes(first).at(0), sizes(first).at(-1), first.body.next]).toEqual([250, 151, 150]);
  const last = await headsOf(stored, "?before=50");
  expect([sizes(last).at(0), sizes(last).at(-1), last.body.next]).toEqual([50, 1, null]);
  expect(await headsOf(stored, "?before=-1")).toMatchObject({ status: 400 });
});

test("one that can't be read keeps none of the others back", async () => {
  const { body } = await headsOf([head(3), { type: "HeadsCommitted", data: { size: "damaged" } }]);
  expect(body.heads).toHaveLength(1);
});

test("those alone are published that this service signed, as their events say it", async () => {
  using folder = temporaryFolder();
  const load = (path: string) => loadOrCreateSigningIdentity(path, "http://localhost", runtime.clock, runtime.random);
  const [own, stranger] = [await load(folder.path), await load(`${folder.path}/other`)];
  const signed = async (size: number, identity = own): Promise<Stored & { data: CommittedHead }> => {
    const head = { ...data, size };
    const named = { kind: "head", id: head.root } as const;
    const { cms } = await signStatement(runtime, statementBytes(statementOf(head)), named, { identity });
    const signature = Buffer.from(cms).toString("base64");
    return { type: "HeadsCommitted", data: { ...head, signature, certificateSha256: identity.certificateSha256 } };
  };
  const changed = async (size: number, change: Partial<CommittedHead>): Promise<Stored> => {
    const { type, data: head } = await signed(size);
    return { type, data: { ...head, ...change } };
  };
  const stored = [
    await signed(1),
    await signed(2, stranger),
    await changed(3, { root: "ab".repeat(32) }),
    await changed(4, { timestampedAt: "2020-01-01T00:00:00.000Z" }),
    await changed(5, { certificateSha256: stranger.certificateSha256 }),
    head(6),
    await signed(7),
  ];
  const { body } = await headsOf(stored, "", undefined, headsSignedUnder([...own.issuers]));
  expect(body.heads.map(({ size }: { size: number }) => size)).toEqual([7, 1]);
});
