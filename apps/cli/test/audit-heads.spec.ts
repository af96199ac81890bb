import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { commitLogHead } from "@rubrica/commands";
import { configFrom } from "@rubrica/config";
import { type DomainEvent, definitionOf, eventHash, HEADS_ID, statementBytes, streamName } from "@rubrica/events";
import { openEngines } from "@rubrica/open-engines/stores";
import { headsSignedUnder, loadOrCreateSigningIdentity, signStatement } from "@rubrica/pdf";
import { systemRuntime } from "@rubrica/runtime";
import { temporaryFolder } from "@rubrica/test-kit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { linesOf } from "../src/testing.ts";

const runtime = systemRuntime();
let folder: ReturnType<typeof temporaryFolder>;
let dataDir: string;
beforeEach(() => {
  folder = temporaryFolder();
  dataDir = join(folder.path, "data");
});
afterEach(() => folder[Symbol.dispose]());

const rubrica = async (...args: string[]): Promise<string> =>
  (await linesOf(args, { DATA_DIR: dataDir }, runtime)).join("\n");

const context = (commandId: string) => ({
  commandId,
  accountId: "a1",
  actor: "operator",
  correlationId: commandId,
  causationId: commandId,
});

const opened = (type: DomainEvent["type"]) => ({ type, ...definitionOf(type).example }) as DomainEvent;

/** Writes one event in each of these streams; then commits a head where `isHeaded`. */
const write = async (accounts: readonly string[], isHeaded = true): Promise<void> => {
  const engines = await openEngines(configFrom({ DATA_DIR: dataDir }), runtime);
  const { journal, handlers } = engines;
  for (const account of accounts)
    await journal.append(
      streamName("account", account),
      undefined,
      [opened("AccountOpened"), opened("PlanChanged")],
      context(account),
    );
  if (isHeaded) {
    const identity = await loadOrCreateSigningIdentity(dataDir, "http://localhost", runtime.clock, runtime.random);
    const sign = async (statement: Parameters<typeof statementBytes>[0]) => {
      const named = { kind: "head", id: statement.root } as const;
      const { cms, timestampedAt } = await signStatement(runtime, statementBytes(statement), named, { identity });
      const signature = Buffer.from(cms).toString("base64");
      return { signature, certificateSha256: identity.certificateSha256, timestampedAt };
    };
    const isSigned = headsSignedUnder([...identity.issuers]);
    const isAuthenticated = () => true;
    const stores = { events: journal.store, handlers, known: engines.keys.log };
    const dependencies = { ...stores, runtime, sign, isSigned, isAuthenticated };
    await commitLogHead(dependencies, context("head"));
  }
  await engines.close();
};

/** What somebody who can write to the database alone does to it. */
const tamper = (...sql: string[]): void => {
  const database = new DatabaseSync(join(dataDir, "events.sqlite"));
  const triggers = database.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'").all();
  for (const { name } of triggers) database.exec(`DROP TRIGGER "${name}"`);
  for (const statement of sql) database.exec(statement);
  database.close();
};

const OF = (stream: string) => `stream_id = (SELECT id FROM streams WHERE name = '${stream}')`;

/** Computes a stream's chain anew, after one of its events was changed: no key is needed. */
const rehash = (stream: string, change: (data: Record<string, unknown>) => void): void => {
  const database = new DatabaseSync(join(dataDir, "events.sqlite"));
  const rows = database
    .prepare(`SELECT seq, revision, type, data, metadata FROM events WHERE ${OF(stream)} ORDER BY revision`)
    .all();
  database.close();
  let previousHash = "0".repeat(64);
  tamper(
    ...rows.map(({ seq, revision, type, data, metadata }) => {
      const stored = JSON.parse(String(data));
      change(stored.data);
      const meta = JSON.parse(String(metadata));
      const hashed = {
        stream,
        revision: BigInt(Number(revision)),
        type: String(type),
        data: stored.data,
        personal: stored.personal,
        metadata: meta,
      };
      const hash = eventHash(hashed, previousHash);
      const after = JSON.stringify({ ...meta, hash, previousHash });
      previousHash = hash;
      const text = (json: string) => `'${json.replaceAll("'", "''")}'`;
      return `UPDATE events SET data = ${text(JSON.stringify(stored))}, metadata = ${text(after)} WHERE seq = ${seq}`;
    }),
  );
};

/** Keeps the newest head, in a form that a webhook has. */
const kept = async (): Promise<string> => {
  const lines = (await rubrica("audit", "export", "--stream", streamName("heads", HEADS_ID))).split("\n");
  const { data } = JSON.parse(lines.at(-2) ?? "");
  const path = join(folder.path, "head.txt");
  writeFileSync(path, `rubrica-head: ${data.size}:${data.root}\n`);
  return path;
};

describe("rubrica audit verify, against heads", () => {
  test("says which hold, what came after, and what can't be shown", async () => {
    await write(["a", "b"]);
    const own = await rubrica("audit", "verify");
    expect(own).toContain(
      "1 heads of the log hold, and none that was kept elsewhere: the newest is over the first 4 events.",
    );
    expect(own).toContain("1 came after it");
    expect(own).toContain("can take away heads of the log with them");
    const head = await kept();
    await write(["c"]);
    const against = await rubrica("audit", "verify", "--head", head);
    expect(against).toContain("2 heads of the log hold, and 1 that were kept: the newest is over the first 7 events.");
    expect(against).not.toContain("can take away");
  });

  test("takes an answer of /pki/heads too, and nothing else", async () => {
    await write(["a"]);
    const [size, root] = readFileSync(await kept(), "utf8")
      .replace("rubrica-head: ", "")
      .trim()
      .split(":");
    const path = join(folder.path, "heads.json");
    writeFileSync(path, JSON.stringify({ heads: [{ number: 0, size: Number(size), root }], next: null }));
    expect(await rubrica("audit", "verify", "--head", path)).toContain("and 1 that were kept");
    const published = { number: 1, size: Number(size), root, statement: JSON.stringify({ size: Number(size), root }) };
    writeFileSync(path, JSON.stringify({ heads: [published] }));
    expect(await rubrica("audit", "verify", "--head", path)).toContain("and 1 that were kept");
    for (const damaged of [
      { ...published, root: `x${root?.slice(1)}` },
      { ...published, size },
      { ...published, statement: "{}" },
    ]) {
      writeFileSync(path, JSON.stringify({ heads: [published, damaged] }));
      await expect(rubrica("audit", "verify", "--head", path)).rejects.toThrow("number 2 of its heads is none");
    }
    for (const text of ["", "{}", "3:", `${size}:${root}:1`, `-1:${root}`]) {
      writeFileSync(path, text);
      await expect(rubrica("audit", "verify", "--head", path), text).rejects.toThrow("it holds none");
    }
    await expect(rubrica("audit", "verify", "--head", `${path}.none`)).rejects.toThrow("can't be used as a head");
  });

  const last = `seq = (SELECT max(seq) FROM events WHERE ${OF("account-b")})`;
  test.each<[string, () => void]>([
    ["the end of a stream taken away", () => tamper(`DELETE FROM events WHERE ${last}`)],
    ["a stream taken away", () => tamper(`DELETE FROM events WHERE ${OF("account-b")}`)],
    ["a stream's chain computed anew", () => rehash("account-b", (data) => (data.plan = "basic"))],
    ["everything taken away but one stream", () => tamper(`DELETE FROM events WHERE NOT ${OF("account-a")}`)],
  ])("finds %s, and by leaves where", async (_name, forge) => {
    await write(["a", "b"]);
    const head = await kept();
    const leaves = join(folder.path, "leaves.ndjson");
    writeFileSync(leaves, `${await rubrica("audit", "export", "--leaves")}\n`);
    forge();
    const verify = rubrica("audit", "verify", "--head", head, "--leaves", leaves);
    await expect(verify).rejects.toThrow(/The heads do not hold:\n {2}The head/);
    await expect(verify).rejects.toThrow(
      /By the leaves that were kept:\n {2}account-b (is gone|ends at|is not what it was)/,
    );
    const path = join(folder.path, "events.ndjson");
    writeFileSync(path, `${await rubrica("audit", "export")}\n`);
    await expect(rubrica("audit", "verify", path, "--head", head)).rejects.toThrow("The heads do not hold");
  });

  test("finds what was taken away though all heads of the log were too", async () => {
    await write(["a", "b"]);
    const head = await kept();
    tamper(`DELETE FROM events WHERE ${OF("account-b")} OR ${OF("heads-log")}`);
    await expect(rubrica("audit", "verify")).rejects.toThrow("that is known beside the keys is over 4 events");
    await expect(rubrica("audit", "verify", "--head", head)).rejects.toThrow(
      "is over 4 events, of which the log holds 2",
    );
  });

  test("finds a head that does not go on from the one before", async () => {
    await write(["a"]);
    await write(["b"]);
    tamper(`DELETE FROM events WHERE ${OF("heads-log")} AND revision = 0`);
    await expect(rubrica("audit", "verify")).rejects.toThrow("The head at revision 1 of heads-log does not go on from");
  });

  test("finds a head that another made", async () => {
    await write(["a"]);
    await write(["b"]);
    rehash("heads-log", (data) => (data.at = "2020-01-01T00:00:00.000Z"));
    await expect(rubrica("audit", "verify")).rejects.toThrow(
      /The head at revision 0 of heads-log is not signed: what it signs was changed/,
    );
  });

  test("finds events that this service did not write, though their chains hold", async () => {
    await write(["a"], false);
    expect(await rubrica("audit", "verify")).toContain("every chain holds");
    rehash("account-a", (data) => data);
    expect(await rubrica("audit", "verify")).toContain("every chain holds");
    rehash("account-a", (data) => (data.name = "another"));
    const told = "account-a at revision 0: it is not by this service, or was changed since";
    await expect(rubrica("audit", "verify")).rejects.toThrow(told);
  });

  test("finds a time or a certificate that a head's signature has not", async () => {
    await write(["a"]);
    expect(await rubrica("audit", "verify")).toContain("1 heads of the log hold");
    rehash("heads-log", (data) => (data.timestampedAt = "2020-01-01T00:00:00.000Z"));
    await expect(rubrica("audit", "verify")).rejects.toThrow("is not the one that is recorded with it");
  });

  test("finds another event named for the one that a head ends with, from which the next one would go on", async () => {
    await write(["a", "b"]);
    rehash("heads-log", (data) => {
      const { last } = data as { last: { revision: number } };
      data.last = { ...last, revision: last.revision - 1 };
    });
    await expect(rubrica("audit", "verify")).rejects.toThrow("names another event than the one that it ends with");
  });

  test("takes no head under another authority, and says where none is known", async () => {
    await write(["a"]);
    using other = temporaryFolder();
    await loadOrCreateSigningIdentity(other.path, "http://localhost", runtime.clock, runtime.random);
    const roots = join(other.path, "pki", "authority", "certificate.pem");
    await expect(rubrica("audit", "verify", "--roots", roots)).rejects.toThrow("not under the given roots");
    const path = join(folder.path, "events.ndjson");
    writeFileSync(path, `${await rubrica("audit", "export")}\n`);
    dataDir = join(folder.path, "elsewhere");
    expect(await rubrica("audit", "verify", path)).toContain("--roots names those that may have signed");
  });

  test("tells a file of leaves that is none", async () => {
    await write(["a"]);
    const path = join(folder.path, "leaves.ndjson");
    for (const [text, fault] of [
      ["", "is empty"],
      ["{}\n", "Line 1 of .* is no leaf"],
      ['["account-a", 0,"9f"]\n', "Line 1 of .* is no leaf"],
      ['["account-a",1,"9f"]\n', "Line 1 of .* does not go on"],
    ] as const) {
      writeFileSync(path, text);
      await expect(rubrica("audit", "verify", "--leaves", path)).rejects.toThrow(new RegExp(fault));
    }
  });
});

describe("what is known beside the keys", () => {
  /** As an older backup of the log alone would. */
  const loseTheNewest = () =>
    tamper(
      `DELETE FROM events WHERE ${OF("account-a")} AND revision = 1`,
      `DELETE FROM events WHERE ${OF("heads-log")}`,
      "DELETE FROM streams WHERE name = 'heads-log'",
    );

  test("shows what was taken away though all heads of the log were too, until the loss is accepted", async () => {
    await write(["a"]);
    loseTheNewest();
    await expect(rubrica("audit", "verify")).rejects.toThrow("The head that is known beside the keys is over 2 events");
    expect(await rubrica("audit", "accept-loss")).toContain("Recorded: what the head 2:");
    expect(await rubrica("audit", "accept-loss")).toContain("Nothing is missing");
    await write(["b"]);
    const verified = await rubrica("audit", "verify");
    expect(verified).toContain("every chain holds.");
    expect(verified).toContain("That something was lost was recorded 1 times");
  });

  test("of a log that lacks nothing, no loss is recorded", async () => {
    await write(["a"]);
    expect(await rubrica("audit", "accept-loss")).toContain("Nothing is missing");
    expect(await rubrica("audit", "export")).not.toContain("LossAccepted");
  });

  test("nor where the newest head was not noted beside the keys, as by a service that was killed", async () => {
    await write(["a"]);
    const database = new DatabaseSync(join(dataDir, "keys.sqlite"));
    const noted = database.prepare("SELECT head FROM known_head").get()?.head;
    database.close();
    await write(["b"]);
    const later = new DatabaseSync(join(dataDir, "keys.sqlite"));
    later.prepare("UPDATE known_head SET head = ?").run(String(noted));
    later.close();
    expect(await rubrica("audit", "accept-loss")).toContain("Nothing is missing");
    expect(await rubrica("audit", "export")).not.toContain("LossAccepted");
  });

  test("one of a stream that is not compared by itself is, and so is one of the head alone", async () => {
    await write(["a", "b"]);
    tamper(`DELETE FROM events WHERE ${OF("account-a")} AND revision = 1`);
    expect(await rubrica("audit", "accept-loss")).toContain("Recorded: what the head 4:");
    expect(await rubrica("audit", "accept-loss")).toContain("Nothing is missing");
    await write(["c"]);
    expect(await rubrica("audit", "accept-loss")).toContain("Nothing is missing");
    tamper(`DELETE FROM events WHERE seq = (SELECT max(seq) FROM events WHERE ${OF("heads-log")})`);
    expect(await rubrica("audit", "accept-loss")).toContain("Recorded: what the head ");
  });

  test("a loss that was accepted does not make a kept head hold, and is named with it", async () => {
    await write(["a"]);
    const head = await kept();
    loseTheNewest();
    await rubrica("audit", "accept-loss");
    await expect(rubrica("audit", "verify", "--head", head)).rejects.toThrow("is recorded in the log");
  });
});
