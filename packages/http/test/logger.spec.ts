import { ManualClock } from "@rubrica/runtime/testing";
import { describe, expect, test } from "vitest";
import { createLogger, describeError } from "../src/index.ts";

const secret = "Ana Paz 30123456";

describe("the logger", () => {
  const logged = (log: (logger: ReturnType<typeof createLogger>) => void, pretty = false): string => {
    let text = "";
    const stream = {
      write: (line: string) => {
        text += line;
      },
    };
    log(createLogger({ clock: new ManualClock(), stream, pretty }));
    return text;
  };

  test.each([
    ["an error alone", (logger: ReturnType<typeof createLogger>) => logger.error(new Error(secret))],
    ["an error as err", (logger: ReturnType<typeof createLogger>) => logger.error({ err: new Error(secret) })],
    ["an error with a text", (logger: ReturnType<typeof createLogger>) => logger.error(new Error(secret), "failed")],
  ])("leaves out the message of %s", (_name, log) => {
    const text = logged(log);
    expect(text).toContain('"type":"Error"');
    expect(text).not.toContain("Ana");
  });

  test("takes its time from the clock", () => {
    expect(JSON.parse(logged((logger) => logger.info("started")))).toEqual({
      level: "info",
      time: "2026-01-01T00:00:00.000Z",
      msg: "started",
    });
  });

  test("writes for a person when asked to", () => {
    const text = logged((logger) => logger.info({ port: 3000 }, "listening"), true);
    expect(text).toContain("listening");
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
  });

  test("follows causes to a limit", () => {
    const loop = new Error("a");
    loop.cause = loop;
    expect(JSON.stringify(describeError(loop)).match(/"type"/g)).toHaveLength(6);
  });
});
