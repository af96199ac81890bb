import { createRequire } from "node:module";
import { type Clock, isoTime } from "@rubrica/runtime";
import { type DestinationStream, destination, type Logger, type LoggerOptions, pino } from "pino";

/** How deep a chain of causes is followed. */
const MAX_CAUSES = 5;

/** What a log says of an error. Never its message: libraries quote the data that they choke on. */
export interface ErrorDescription {
  type: string;
  code?: string | number;
  /** The stack's frames, without its first line, which holds the message. */
  stack?: string;
  cause?: ErrorDescription;
}

const framesOf = (stack: string): string =>
  stack
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .join("\n");

/** Describes whatever was thrown, without any data that it may quote. */
export const describeError = (error: unknown, depth = 0): ErrorDescription => {
  if (!(error instanceof Error)) return { type: typeof error };
  const code = "code" in error ? error.code : undefined;
  return {
    type: error.name,
    ...(typeof code === "string" || typeof code === "number" ? { code } : {}),
    ...(error.stack ? { stack: framesOf(error.stack) } : {}),
    ...(error.cause !== undefined && depth < MAX_CAUSES ? { cause: describeError(error.cause, depth + 1) } : {}),
  };
};

/** Pino takes an error's message as the line's when none is given: give one always. */
const neverLogErrorMessages: NonNullable<LoggerOptions["hooks"]> = {
  logMethod(args, method) {
    const [first, text] = args as [unknown, unknown];
    if (first instanceof Error) return method.apply(this, [{ err: first }, typeof text === "string" ? text : "error"]);
    if (text === undefined && typeof first === "object") return method.apply(this, [first, "error"]);
    return method.apply(this, args);
  },
};

const prettyStream = (to: DestinationStream): DestinationStream => {
  // Loaded at a terminal alone: services have none, and would hold its 29 modules.
  const { prettyFactory }: typeof import("pino-pretty") = createRequire(import.meta.url)("pino-pretty");
  const format = prettyFactory({ colorize: true, singleLine: true, translateTime: "SYS:HH:MM:ss.l" });
  return { write: (line) => to.write(format(JSON.parse(line))) };
};

export interface LoggerSettings {
  clock: Clock;
  /** Default `info`. */
  level?: LoggerOptions["level"];
  /** For a person at a terminal; one JSON object a line otherwise. */
  pretty?: boolean;
  /** Where lines go; default: standard output, written in the background and flushed at exit. */
  stream?: DestinationStream;
}

/** The logger of a process. Errors given as `err` are logged by {@link describeError}. */
export const createLogger = ({ clock, level = "info", pretty = false, stream }: LoggerSettings): Logger => {
  const out = stream ?? destination({ dest: 1, sync: pretty });
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${isoTime(clock.now())}"`,
      formatters: { level: (label) => ({ level: label }) },
      // Fastify would log a request's URL with `req`: tokens and phones are in there.
      serializers: { err: (error) => describeError(error), req: () => undefined, res: () => undefined },
      hooks: neverLogErrorMessages,
    },
    pretty ? prettyStream(out) : out,
  );
};
