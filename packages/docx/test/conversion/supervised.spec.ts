import { ManualClock } from "@rubrica/runtime/testing";
import { describe, expect, test } from "vitest";
import { type Office, UnreadableDocx } from "../../src/conversion/office.ts";
import { SupervisedConverter, type Supervision } from "../../src/conversion/supervised.ts";

const PDF = Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.alloc(1_000, "x"), Buffer.from("\n%%EOF\n")]);
const HANG = "hang";
type Act = Uint8Array | Error | typeof HANG;

/** Lets all that is ready to run, run. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

const perform = (act: Act, signal?: AbortSignal): Promise<Uint8Array> => {
  if (act instanceof Error) return Promise.reject(act);
  if (act !== HANG) return Promise.resolve(act);
  return new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(new Error("undone"))));
};

/** An office program that does as the test says: conversions in warm processes and alone, one act after the other. */
interface Script {
  acts?: Act[];
  once?: Act[];
  starts?: Act[];
  /** What each process takes. */
  memoryMb?: number;
}

const scripted = ({ acts = [], once, starts = [], memoryMb = 200 }: Script) => {
  const log: string[] = [];
  let started = 0;
  const office: Office = {
    engine: "native",
    isConfined: true,
    start: async (signal) => {
      const name = `process ${++started}`;
      log.push(`start ${name}`);
      try {
        await perform(starts.shift() ?? PDF, signal);
      } catch (error) {
        await settled();
        log.push(`undo ${name}`);
        throw error;
      }
      return {
        convert: () => {
          log.push(`convert on ${name}`);
          return perform(acts.shift() ?? PDF);
        },
        memoryMb: () => memoryMb,
        kill: async () => {
          log.push(`kill ${name}`);
        },
      };
    },
    convertOnce: once
      ? (_docx, signal) => {
          log.push("convert alone");
          return perform(once.shift() ?? PDF, signal);
        }
      : undefined,
    close: async () => {
      log.push("close");
    },
  };
  return { office, log };
};

const supervise = (script: Script, more: Partial<Supervision> = {}) => {
  const clock = new ManualClock();
  const { office, log } = scripted(script);
  const bounds = { memoryMb: 1_000, waiting: { all: 6, ofOne: 4 } };
  const limits = {
    ...bounds,
    processes: 1,
    timeoutMs: 1_000,
    startTimeoutMs: 9_000,
    documentsPerProcess: 100,
    idleMs: 60_000,
  };
  const converter = new SupervisedConverter(office, { clock, ...limits, ...more });
  const convert = (caller = "account:a") => converter.convert(Buffer.from("docx"), caller);
  return { converter, convert, clock, log };
};

describe("a process that works", () => {
  test("is started with the first document, and kept for the next", async () => {
    const { convert, log } = supervise({});
    expect(log).toEqual([]);
    expect(await convert()).toEqual(PDF);
    await convert();
    expect(log).toEqual(["start process 1", "convert on process 1", "convert on process 1"]);
  });

  test("gives way to a fresh one after its share of documents", async () => {
    const { convert, log } = supervise({}, { documentsPerProcess: 2 });
    for (let count = 0; count < 3; count++) await convert();
    expect(log).toEqual([
      "start process 1",
      "convert on process 1",
      "convert on process 1",
      "kill process 1",
      "start process 2",
      "convert on process 2",
    ]);
  });

  test("ends when nobody needs it, not when somebody does", async () => {
    const { convert, clock, log } = supervise({});
    await convert();
    clock.advance(59_999);
    await convert();
    clock.advance(59_999);
    await settled();
    expect(log).not.toContain("kill process 1");
    clock.advance(1);
    await settled();
    expect(log.at(-1)).toBe("kill process 1");
    await convert();
    expect(log.at(-1)).toBe("convert on process 2");
  });

  test("documents beyond the number of processes wait until one is free", async () => {
    const { convert, log } = supervise({}, { processes: 3 });
    await Promise.all([convert(), convert(), convert(), convert(), convert()]);
    expect(log.filter((line) => line.startsWith("start"))).toHaveLength(3);
    expect(log.filter((line) => line.startsWith("convert"))).toHaveLength(5);
  });
});

describe("between callers", () => {
  test("none holds the last process: another's document does not wait, however many hang", async () => {
    const { convert, converter, log } = supervise({ acts: [HANG] }, { processes: 3 });
    const backlog = Array.from({ length: 4 }, () => convert("account:a"));
    for (const one of backlog) one.catch(() => undefined);
    await settled();
    expect(log.filter((line) => line.startsWith("convert"))).toHaveLength(1);
    expect(await convert("account:b")).toEqual(PDF);
    await converter.close();
  });

  test("a backlog delays its own caller: with one process, another's document comes after the one that runs", async () => {
    const { convert, clock } = supervise({ acts: [HANG] }, { documentsPerProcess: 1_000 });
    const order: string[] = [];
    const ask = async (caller: string) => {
      await convert(caller);
      order.push(caller);
    };
    const all = [ask("a"), ask("a"), ask("a"), ask("b"), ask("c")];
    await settled();
    clock.advance(1_000);
    await Promise.all(all);
    expect(order).toEqual(["a", "b", "c", "a", "a"]);
  });

  test("what waits is bounded, of one and of all", async () => {
    const { convert, converter } = supervise({ acts: [HANG] });
    const outcome = (caller: string) =>
      convert(caller).then(
        () => "converted",
        (error: Error) => error.name,
      );
    const all = [...Array(6).fill("a"), ...Array(4).fill("b")].map(outcome);
    await settled();
    await converter.close();
    const outcomes = await Promise.all(all);
    expect(outcomes).toEqual([
      ...Array(5).fill("ConversionFailed"),
      "HelpersBusy",
      ...Array(2).fill("ConversionFailed"),
      ...Array(2).fill("HelpersBusy"),
    ]);
  });
});

describe("a document that is too much", () => {
  test("of memory: its process is killed, and it is not tried again", async () => {
    const { convert, log } = supervise({ acts: [HANG], memoryMb: 1_001, once: [PDF] });
    await expect(convert()).rejects.toMatchObject({ reason: "too_large" });
    expect(log).toEqual(["start process 1", "convert on process 1", "kill process 1"]);
  });

  test("of time: it is tried once more only, alone", async () => {
    const { convert, clock, log } = supervise({ acts: [HANG], once: [HANG] });
    const converting = convert();
    converting.catch(() => undefined);
    await settled();
    clock.advance(1_000);
    await settled();
    clock.advance(1_000);
    await expect(converting).rejects.toMatchObject({ reason: "hung" });
    expect(log).toEqual(["start process 1", "convert on process 1", "kill process 1", "convert alone"]);
  });
});

describe("a process that fails", () => {
  test.each([
    ["crashes", new Error("hung up")],
    ["gives an empty file", Buffer.alloc(0)],
    ["gives next to nothing", Buffer.from("%PDF-1.7\n%%EOF")],
    ["gives half a file", PDF.subarray(0, -20)],
    ["gives something else", Buffer.alloc(2_000, "%%EOF")],
  ])("%s: it is killed, and its document is tried on a fresh one", async (_what, act) => {
    const { convert, log } = supervise({ acts: [act] });
    expect(await convert()).toEqual(PDF);
    expect(log).toEqual([
      "start process 1",
      "convert on process 1",
      "kill process 1",
      "start process 2",
      "convert on process 2",
    ]);
  });

  test("hangs: likewise, when its time is up and not before", async () => {
    const { convert, clock, log } = supervise({ acts: [HANG] });
    const converting = convert();
    await settled();
    clock.advance(999);
    await settled();
    expect(log).toEqual(["start process 1", "convert on process 1"]);
    clock.advance(1);
    expect(await converting).toEqual(PDF);
    expect(log).toContain("kill process 1");
  });

  test("twice: the document gets a process of its own", async () => {
    const { convert, log } = supervise({ acts: [new Error(), new Error()], once: [PDF] });
    expect(await convert()).toEqual(PDF);
    expect(log.at(-1)).toBe("convert alone");
  });

  test("every time: the document fails, and the next one is converted", async () => {
    const { convert } = supervise({ acts: [new Error(), new Error()], once: [Buffer.alloc(0)] });
    await expect(convert()).rejects.toMatchObject({ reason: "empty" });
    expect(await convert()).toEqual(PDF);
  });

  test("every time, where there is no process of its own: the last failure is told", async () => {
    const { convert, clock } = supervise({ acts: [new Error(), HANG] });
    const converting = convert();
    converting.catch(() => undefined);
    await settled();
    clock.advance(1_000);
    await expect(converting).rejects.toMatchObject({ reason: "hung" });
  });

  test("does not start: the next start is tried", async () => {
    const { convert, clock, log } = supervise({ starts: [HANG] });
    const converting = convert();
    await settled();
    clock.advance(9_000);
    expect(await converting).toEqual(PDF);
    expect(log).toEqual(["start process 1", "undo process 1", "start process 2", "convert on process 2"]);
  });

  test("a document that it cannot read is tried no more, and the process is kept", async () => {
    const { convert, log } = supervise({ acts: [new UnreadableDocx()], once: [PDF] });
    await expect(convert()).rejects.toMatchObject({ reason: "unreadable" });
    await convert();
    expect(log).toEqual(["start process 1", "convert on process 1", "convert on process 1"]);
  });
});

describe("closing", () => {
  test("fails what is being converted and what waits, and ends every process", async () => {
    const { converter, convert, log } = supervise({ acts: [HANG] });
    const conversions = [convert(), convert()];
    const outcomes = Promise.allSettled(conversions);
    await settled();
    await converter.close();
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: "rejected", reason: { reason: "closed" } });
    }
    expect(log).toEqual(["start process 1", "convert on process 1", "kill process 1", "close"]);
    await expect(convert()).rejects.toMatchObject({ reason: "closed" });
  });

  test("undoes a start that is under way", async () => {
    const { converter, convert, log } = supervise({ starts: [HANG] });
    const converting = convert();
    converting.catch(() => undefined);
    await settled();
    await converter.close();
    await expect(converting).rejects.toMatchObject({ reason: "closed" });
    expect(log).toEqual(["start process 1", "undo process 1", "close"]);
  });
});
