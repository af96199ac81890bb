import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { configFrom } from "@rubrica/config";
import { catalogue, type DomainEvent, eventHash, type StreamKind, streamName } from "@rubrica/events";
import { openEngines } from "@rubrica/open-engines/stores";
import { systemRuntime } from "@rubrica/runtime";
import { noteMissing } from "@rubrica/test-kit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ExportEnd } from "../src/audit-export.ts";
import { linesOf } from "../src/testing.ts";

const runtime = systemRuntime();
const EVIDENCE = readFileSync(join(import.meta.dirname, "../../../docs/evidence.md"), "utf8");
const PYTHON = process.env.RUBRICA_PYTHON ?? "python3";

let folder: string;
let dataDir: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rubrica-audit-"));
  dataDir = join(folder, "data");
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs the CLI and gives what it printed. */
const rubrica = async (...args: string[]): Promise<string> =>
  (await linesOf(args, { DATA_DIR: dataDir }, runtime)).join("\n");

/** A file with an export. */
const exported = async (...args: string[]): Promise<string> => {
  const path = join(folder, "events.ndjson");
  writeFileSync(path, `${await rubrica("audit", "export", ...args)}\n`);
  return path;
};

const account = streamName("account", "a1");

/** One event of each type that there is, in a stream of each kind. Gives how many that are. */
const writeOneOfEach = async (): Promise<{ events: number; streams: number }> => {
  const engines = await openEngines(configFrom({ DATA_DIR: dataDir }), runtime);
  let count = 0;
  for (const [kind, definitions] of Object.entries(catalogue) as [StreamKind, typeof catalogue.document][]) {
    const events = definitions.map(
      ({ type, example: { data, personal } }) => ({ type, data, personal }) as DomainEvent,
    );
    const context = { commandId: kind, accountId: "a1", actor: "operator", correlationId: "é ñ 🖋", causationId: kind };
    await engines.journal.append(streamName(kind, "a1"), undefined, events, context);
    count += events.length;
  }
  await engines.close();
  return { events: count, streams: Object.keys(catalogue).length };
};

/** Changes what is stored of an event; the store forbids it, whoever holds the file can take that away. */
const change = (sql: string): void => {
  const database = new DatabaseSync(join(dataDir, "events.sqlite"));
  const triggers = database.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'").all();
  for (const { name } of triggers) database.exec(`DROP TRIGGER "${name}"`);
  const { changes } = database.prepare(sql).run();
  database.close();
  expect(changes).toBeGreaterThan(0);
};

describe("rubrica audit", () => {
  test("exports every event as a line of JSON, by the names that its hash covers", async () => {
    const { events } = await writeOneOfEach();
    const lines = (await rubrica("audit", "export")).split("\n").map((line) => JSON.parse(line));
    expect(lines.pop()).toEqual({
      end: { events, root: expect.stringMatching(/^[0-9a-f]{64}$/), rest: expect.any(String) },
    });
    expect(lines).toHaveLength(events);
    for (const line of lines) {
      expect(Object.keys(line).sort()).toEqual(
        ["data", "id", "metadata", "personal", "position", "revision", "stream", "type"].sort(),
      );
      expect(line.data).not.toHaveProperty("personal");
    }
    const opened = lines.find(({ stream, revision }) => stream === account && revision === 0);
    expect(opened.data).toEqual(catalogue.account[0]?.example.data);
    expect(lines.some(({ personal }) => typeof personal === "string")).toBe(true);
  });

  test("verifies each stream's chain, in the store and in an export", async () => {
    const { events, streams } = await writeOneOfEach();
    const every = `${events} events in ${streams} streams: every chain holds.\nThere is no head: `;
    expect(await rubrica("audit", "verify")).toContain(every);
    expect(await rubrica("audit", "verify", await exported())).toContain(every);
  });

  test("verifies one stream, and tells its head", async () => {
    await writeOneOfEach();
    const lines = (await rubrica("audit", "export", "--stream", account)).split("\n").map((line) => JSON.parse(line));
    expect(lines.pop()).toMatchObject({ end: { events: lines.length } });
    const holds = `${lines.length} events in ${account}: its chain holds. Its head: ${lines.at(-1).metadata.hash}`;
    expect(await rubrica("audit", "verify", "--stream", account)).toBe(holds);
    expect(await rubrica("audit", "verify", "--stream", account, await exported())).toBe(holds);
    expect(await rubrica("audit", "verify", await exported("--stream", account))).toContain("1 streams: every chain");
    await expect(rubrica("audit", "verify", "--stream", "account-none")).rejects.toThrow(
      "There is no stream account-none.",
    );
    await expect(rubrica("audit", "verify", "--stream", account, "--head", "none.json")).rejects.toThrow(
      "with --stream they can't be checked",
    );
  });

  test("finds an event that was changed, in the store and in an export of it", async () => {
    await writeOneOfEach();
    const path = await exported();
    writeFileSync(path, readFileSync(path, "utf8").replace('"actor":"operator"', '"actor":"signer"'));
    await expect(rubrica("audit", "verify", path)).rejects.toThrow(
      /^The chain is broken at:\n {2}\w+-a1 at revision 0$/,
    );
    writeFileSync(path, readFileSync(path, "utf8").replace('"actor":"signer"', '"actor":"\\ud800"'));
    await expect(rubrica("audit", "verify", path)).rejects.toThrow(/^The chain is broken at:/);
    change(`UPDATE events SET metadata = replace(metadata, 'operator', 'signer') WHERE revision = 1`);
    await expect(rubrica("audit", "verify")).rejects.toThrow(`${account} at revision 1`);
    await expect(rubrica("audit", "verify", "--stream", account)).rejects.toThrow(`${account} at revision 1`);
    await expect(rubrica("audit", "verify", await exported())).rejects.toThrow(`${account} at revision 1`);
  });

  test("names an event whose data are too deep to be printed", async () => {
    await writeOneOfEach();
    const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    change(`UPDATE events SET data = '{"data":${deep},"personal":null}' WHERE revision = 1`);
    await expect(rubrica("audit", "export")).rejects.toThrow(
      / at revision 1 can't be printed: its data are too deep\.$/,
    );
    await expect(rubrica("audit", "verify")).rejects.toThrow(/^The chain is broken at:/);
  });

  test("says which line of a file is none of an export's", async () => {
    await writeOneOfEach();
    const path = await exported();
    for (const wrong of ["{", "[]", "null", '{"stream":"a","revision":1.5}', "x".repeat(100)]) {
      writeFileSync(path, `${wrong}\n`);
      await expect(rubrica("audit", "verify", path)).rejects.toThrow(/^Line 1 of .* is no event/);
    }
    writeFileSync(path, "x".repeat(9_000_000));
    await expect(rubrica("audit", "verify", path)).rejects.toThrow("is longer than an event can be");
    for (const none of [dirname(path), `${path}.none`])
      await expect(rubrica("audit", "verify", none)).rejects.toThrow(`${none} can't be read: E`);
  });

  describe("names what was done to an export, beside what hashes tell", () => {
    /** The end that fits the lines: whoever forges them writes it anew. */
    const withEnd = (lines: string[]): string[] => {
      const end = new ExportEnd();
      for (const line of lines) {
        const read = line.startsWith("{") ? JSON.parse(line) : {};
        const { stream = "", revision = 0, metadata = {} } = read;
        end.take({ stream, revision: BigInt(revision), metadata }, read);
      }
      return lines.length === 0 ? [] : [...lines, end.line()];
    };

    /** Lines of an export, changed, and written again. */
    const forged = async (forge: (lines: string[]) => string[]): Promise<string> => {
      await writeOneOfEach();
      const path = await exported();
      const lines = readFileSync(path, "utf8").trimEnd().split("\n");
      writeFileSync(
        path,
        withEnd(forge(lines.slice(0, -1)))
          .map((line) => `${line}\n`)
          .join(""),
      );
      return path;
    };
    const first = (change: (line: string) => string) => (lines: string[]) =>
      lines.map((line, index) => (index === 0 ? change(line) : line));

    test.each<[string, (lines: string[]) => string[], RegExp]>([
      ["all events taken away", () => [], /is empty: there is no event to check/],
      ["an event doubled", ([line = "", ...rest]) => [line, line, ...rest], /^Line 2 of .* stands twice, or not in/],
      ["all events doubled", (lines) => [...lines, ...lines], /stands twice, or not in the log's order/],
      ["streams in another order", (lines) => [...lines].reverse(), /^Line 2 of .* stands twice, or not in/],
      [
        "another position",
        first((line) => line.replace(/"position":"0/, '"position":"9')),
        /^Line 2 of .* stands twice/,
      ],
      ["no position", first((line) => line.replace(/"position":"/, '"position":"x')), /^Line 1 of .* has no position/],
      ["another id", first((line) => line.replace(/"id":"./, '"id":"x')), /^Line 1 of .* has another id than/],
      [
        "a field more",
        first((line) => line.replace("{", '{"note":"approved",')),
        /^Line 1 of .* has a field that no event has: "note"/,
      ],
      [
        "a key twice",
        first((line) => line.replace("{", '{"type":"DocumentRejected",')),
        /^Line 1 of .* has a key twice: "type"/,
      ],
      [
        "a key twice, spelled otherwise, and deep within",
        first((line) => line.replace('"data":{', '"data":{"\\u0061ccountId":1,"accountId":2,')),
        /^Line 1 of .* has a key twice: "accountId"/,
      ],
      [
        "a number that some programs read as another one",
        first((line) => line.replace(/"schemaVersion":(\d+)/, '"schemaVersion":$1.00000000000000000001')),
        /^Line 1 of .* has a number that not all programs read alike: \d+\.0/,
      ],
      [
        "a position within a list",
        first((line) => line.replace(/"position":("[^"]+")/, '"position":[$1]')),
        /^Line 1 of .* has no position/,
      ],
      [
        "something else in the place of damage",
        first((line) => line.replace(/\}$/, ',"damage":{"note":"approved"}}')),
        /^Line 1 of .* tells of damage otherwise than a store does/,
      ],
      ["an empty line", (lines) => ["", ...lines], /^Line 1 of .* is no event/],
    ])("%s", async (_name, forge, fault) => {
      const path = await forged(forge);
      await expect(rubrica("audit", "verify", path)).rejects.toThrow(fault);
      await expect(rubrica("audit", "verify", path, "--stream", account)).rejects.toThrow(fault);
    });

    test.each<[string, (lines: string[]) => string[], RegExp]>([
      [
        "damage that a store told of",
        first((line) => line.replace(/\}$/, ',"damage":"its data can\'t be read as JSON"}')),
        /changed beside what its hash covers at:\n {2}\S+ at revision 0: the store that it was exported from said/,
      ],
      [
        "data that are too deep to be gone through",
        first((line) => line.replace('"data":{', `"data":{"x":${"[".repeat(5_000)}${"]".repeat(5_000)},`)),
        /The chain is broken at:\n {2}\S+ at revision 0/,
      ],
    ])("%s", async (_name, forge, fault) => {
      const path = await forged(forge);
      await expect(rubrica("audit", "verify", path)).rejects.toThrow(fault);
    });

    test("its last line cut off", async () => {
      const path = await forged((lines) => lines);
      const whole = readFileSync(path, "utf8");
      for (const length of [whole.length - 1, whole.length - 50]) {
        writeFileSync(path, whole.slice(0, length));
        await expect(rubrica("audit", "verify", path)).rejects.toThrow(/was cut off: its last line does not end/);
      }
    });

    test("times that run back, though their chain was computed anew", async () => {
      const path = await forged((lines) => {
        let previousHash = "0".repeat(64);
        return lines.map((line) => {
          const event = JSON.parse(line);
          if (event.stream !== account) return line;
          if (event.revision === 1) event.metadata.at = "2020-01-01T00:00:00.000Z";
          const hash = eventHash({ ...event, revision: BigInt(event.revision) }, previousHash);
          event.metadata = { ...event.metadata, hash, previousHash };
          previousHash = hash;
          return JSON.stringify(event);
        });
      });
      await expect(rubrica("audit", "verify", path)).rejects.toThrow(
        `The time is earlier than that of the event before at:\n  ${account} at revision 1`,
      );
    });

    test("but not that it was formatted anew", async () => {
      const path = await forged((lines) => lines.map((line) => line.replace(/^\{/, "{ ")));
      expect(await rubrica("audit", "verify", path)).toMatch(/every chain holds\.$/m);
    });

    test("its end, or events before it, taken away", async () => {
      await writeOneOfEach();
      const path = await exported();
      const lines = readFileSync(path, "utf8").trimEnd().split("\n");
      const write = (some: string[]) => writeFileSync(path, `${some.join("\n")}\n`);
      write(lines.slice(0, -1));
      await expect(rubrica("audit", "verify", path)).rejects.toThrow("does not end with its number of events");
      expect(await rubrica("audit", "verify", path, "--without-end")).toContain("every chain holds.");
      write([...lines.slice(0, -2), lines.at(-1) ?? ""]);
      await expect(rubrica("audit", "verify", path)).rejects.toThrow("does not hold what its last line says");
      write([...lines, lines.at(-2) ?? ""]);
      await expect(rubrica("audit", "verify", path)).rejects.toThrow("comes after the export's end");
      write([lines.at(-1) ?? ""]);
      await expect(rubrica("audit", "verify", path)).rejects.toThrow("does not hold what its last line says");
    });
  });

  test("where nothing is stored, says so, fails, and makes nothing", async () => {
    const missing = "There is no event store in the data folder";
    for (const command of [
      ["audit", "verify"],
      ["audit", "export"],
      ["rebuild"],
      ["quarantine"],
      ["obligations", "stuck"],
    ]) {
      await expect(rubrica(...command), command.join(" ")).rejects.toThrow(missing);
    }
    expect(() => readFileSync(join(dataDir, "events.sqlite"))).toThrow("ENOENT");
  });
});

/** A block of the page on evidence, by what it begins with. */
const blockOf = (language: string, after: string): string => {
  const block = new RegExp(`\`\`\`${language}\\n([^\`]*)\`\`\``).exec(EVIDENCE.slice(EVIDENCE.indexOf(after)));
  if (!block?.[1]) throw new Error(`docs/evidence.md has no ${language} block after "${after}"`);
  return block[1];
};

const canRun = spawnSync(PYTHON, ["-c", "import rfc8785"]).status === 0;
if (!canRun) noteMissing("rfc8785 (RUBRICA_PYTHON)");
if (!canRun) console.warn("skipped: tests of the hashes' formula in Python, which has no rfc8785 here");

describe.skipIf(!canRun)("the formula that docs/evidence.md gives, in Python", () => {
  const python = (input: string) => {
    const { status, stdout, stderr } = spawnSync(PYTHON, ["-c", blockOf("python", "**The event log.**")], {
      input,
      encoding: "utf8",
    });
    return { status, stdout, stderr };
  };

  test("gives what the worked example says", () => {
    const printed = blockOf("", "it prints\n");
    expect(python(blockOf("json", "Given this line"))).toEqual({ status: 0, stdout: printed, stderr: "" });
  });

  test("verifies an export of every type of event", async () => {
    const { streams } = await writeOneOfEach();
    const { status, stdout } = python(readFileSync(await exported(), "utf8"));
    expect(status).toBe(0);
    expect(stdout.trim().split("\n")).toHaveLength(streams + 1);
    const { end } = JSON.parse((await rubrica("audit", "export")).split("\n").at(-1) ?? "");
    expect(stdout).toContain(`${end.events}:${end.root}\n`);
    const { metadata } = JSON.parse((await rubrica("audit", "export", "--stream", account)).split("\n").at(-2) ?? "");
    expect(stdout).toContain(`${account} ${catalogue.account.length} ${metadata.hash}`);
  });

  test("finds an event that was changed, and one that is missing", async () => {
    await writeOneOfEach();
    const lines = readFileSync(await exported(), "utf8")
      .trim()
      .split("\n")
      .slice(0, -1);
    const changed = lines.map((line) => line.replace('"operator"', '"signer"')).join("\n");
    expect(python(changed).stderr).toMatch(/is broken at revision 0\n$/);
    const without = lines.filter((line) => JSON.parse(line).stream !== account || JSON.parse(line).revision !== 1);
    expect(python(without.join("\n")).stderr).toBe(`${account} is broken at revision 2\n`);
  });
});
