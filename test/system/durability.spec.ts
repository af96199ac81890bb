import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  eventually,
  rubricaClient,
  samplePdf,
  sampleSigner,
  startServiceProcess,
  temporaryFolder,
  toolsMissing,
} from "@rubrica/test-kit";
import { expect, test } from "vitest";

/** A system call as strace shows it, at the moment when it came back. */
interface Call {
  name: string;
  /** Arguments and result; descriptors with what they are of. */
  rest: string;
}

/** Reads strace's output of several threads; a call that others interrupted counts where it was resumed. */
const callsOf = (trace: string): Call[] => {
  const begun = new Map<string, string>();
  return trace.split("\n").flatMap((line) => {
    const [, pid = "", text = ""] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const unfinished = /^(.*) <unfinished \.\.\.>$/.exec(text);
    if (unfinished) {
      begun.set(pid, unfinished[1] ?? "");
      return [];
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(text);
    const whole = resumed ? `${begun.get(pid) ?? ""}${resumed[1]}` : text;
    const [, name, rest] = /^(\w+)\((.*)$/.exec(whole) ?? [];
    return name !== undefined && rest !== undefined ? [{ name, rest }] : [];
  });
};

const isSync = ({ name, rest }: Call): boolean => (name === "fsync" || name === "fdatasync") && rest.endsWith("= 0");
const isAnswer = ({ name, rest }: Call): boolean =>
  /^(write|writev|sendto|sendmsg)$/.test(name) && rest.includes("HTTP/1.1 200");

const isMark = ({ name, rest }: Call): boolean =>
  /^(write|writev|sendto|sendmsg)$/.test(name) && rest.includes("HTTP/1.1 404");

/** What was synced before the last answer of so many calls, and after the one before it: path by path. */
const syncedForLastAnswer = (calls: readonly Call[]): { synced: string[]; calls: readonly Call[] } => {
  const answer = calls.findLastIndex(isAnswer);
  const before = calls.slice(0, answer).findLastIndex(isAnswer);
  expect(answer).toBeGreaterThan(before);
  const between = calls.slice(before + 1, answer);
  return { calls: between, synced: between.filter(isSync).map(({ rest }) => /^\d+<(.*)>\)/.exec(rest)?.[1] ?? rest) };
};

/** Each file that was renamed to its name was synced before, and the folder of its name after. */
const expectFilesDurable = (calls: readonly Call[], files: string, count: number): void => {
  const renames = calls.flatMap(({ name, rest }, index) => {
    const [, from, to] = name.startsWith("rename") ? (/"([^"]+)".*"([^"]+)"/.exec(rest) ?? []) : [];
    return from?.startsWith(files) && to ? [{ from, to, index }] : [];
  });
  expect(renames).toHaveLength(count);
  for (const { from, to, index } of renames) {
    const folder = to.slice(0, to.lastIndexOf("/"));
    expect(calls.slice(0, index).some((call) => isSync(call) && call.rest.includes(`<${from}>`))).toBe(true);
    expect(calls.slice(index).some((call) => isSync(call) && call.rest.includes(`<${folder}>`))).toBe(true);
  }
};

test.skipIf(toolsMissing("strace"))(
  "files, keys and events are synced before the 200 of a request and of a signature",
  async () => {
    using folder = temporaryFolder();
    const dataDir = join(folder.path, "data");
    const tracePath = join(folder.path, "trace");
    const traced = "trace=fsync,fdatasync,rename,renameat,renameat2,write,writev,sendto,sendmsg";
    const under = ["strace", "-D", "-f", "-y", "-s", "32", "-e", traced, "-o", tracePath];
    await using service = await startServiceProcess({ dataDir, under });
    const client = rubricaClient(service);
    const files = join(dataDir, "files");
    /** All calls so far: an answer is here before strace tells of it, and a later one that is no 200 after it. */
    let marks = 0;
    const callsSoFar = async (): Promise<Call[]> => {
      marks += 1;
      expect((await fetch(`${service.url}/nothing-here`)).status).toBe(404);
      return eventually("strace told of all of it", () => {
        const calls = callsOf(readFileSync(tracePath, "utf8"));
        const end = calls.flatMap((call, index) => (isMark(call) ? [index] : []))[marks - 1];
        return end !== undefined && calls.slice(0, end);
      });
    };

    // The first ones to write in a new folder make their logs, which SQLite syncs by itself.
    await client.requestDocument(await samplePdf(), [sampleSigner(2)], { wpp: false });
    // Without messages: nothing is synced for anybody else meanwhile.
    const document = await client.requestDocument(await samplePdf(), [sampleSigner(1)], { wpp: false });
    const requested = syncedForLastAnswer(await callsSoFar());
    expectFilesDurable(requested.calls, files, 1);
    expect(requested.synced).toContain(join(dataDir, "events.sqlite-wal"));
    const firstSyncOf = (prefix: string) => requested.synced.findIndex((path) => path.startsWith(prefix));
    const keys = join(dataDir, "keys.sqlite-wal");
    // The key comes before what it encrypts, the file before the event that names it.
    expect(firstSyncOf(keys)).toBeGreaterThanOrEqual(0);
    expect(firstSyncOf(keys)).toBeLessThan(firstSyncOf(files));
    expect(firstSyncOf(files)).toBeLessThan(requested.synced.lastIndexOf(join(dataDir, "events.sqlite-wal")));

    await client.sign(document.urls[0]?.link ?? "");
    const signed = syncedForLastAnswer(await callsSoFar());
    expectFilesDurable(signed.calls, files, 2);
    expect(signed.synced).toContain(join(dataDir, "events.sqlite-wal"));
    await service.end("SIGTERM");
  },
);
