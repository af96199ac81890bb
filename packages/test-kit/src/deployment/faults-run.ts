import { engineCommandsIn, isCluster } from "../engines/index.ts";
import { noteMissing } from "../tools.ts";
import { KINDS } from "./kinds.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const NO_COMMANDS = "ENGINES_STOP and ENGINES_START are not set";

/** Whether a proxy of the loopback can stand before it. */
export const isLocal = (url: string): boolean =>
  /[/@](?:127\.0\.0\.1|localhost):\d+/.test(url) && !/^(?:tls|esdb(?!.*\btls=false))/.test(url);

const urlOf = (engine: string, environment: Environment): string | undefined =>
  environment[KINDS.find(({ name }) => name === engine)?.variable ?? ""];

/** Why an engine that a URL names is not killed or silenced as a whole; undefined where it is. */
export const whyNotStopped = (engine: string, environment: Environment = process.env): string | undefined => {
  const url = urlOf(engine, environment);
  if (url === undefined) return undefined;
  if (isCluster(url)) return "it is a cluster, of which one server is stopped";
  return engineCommandsIn(environment) ? undefined : NO_COMMANDS;
};

const whyNoServerStopped = (engine: string, environment: Environment): string | undefined => {
  if (!engineCommandsIn(environment)) return NO_COMMANDS;
  if (engine === "EventStoreDB" || environment.RUBRICA_FAULTS === "long") return undefined;
  return "it is for long runs (RUBRICA_FAULTS=long), but for one server of all these clusters";
};

const whyNotOnTheWire = (engine: string, environment: Environment): string | undefined => {
  const url = urlOf(engine, environment);
  if (url === undefined) return undefined;
  if (isCluster(url)) return "it is a cluster";
  if (!isLocal(url)) return "it is no server of the loopback without TLS";
  return engineCommandsIn(environment) ? undefined : NO_COMMANDS;
};

/** Each fault that may befall each engine: whether it befalls the server, what stands for it, or is not run, and why. */
export const sayFaults = (environment: Environment = process.env): string[] =>
  KINDS.flatMap(({ name, isTrue, isThere }) => {
    const url = urlOf(name, environment);
    const isGiven = url !== undefined;
    const missing = isGiven || isThere() ? undefined : "there is none on this machine";
    const on = isGiven || isTrue ? "on the server" : "on what stands for the server";
    const row = (fault: string, why: string | undefined) => {
      const reason = missing ?? why;
      return `${name}, ${fault}: ${reason === undefined ? on : `not run, as ${reason}`}`;
    };
    return [
      row("killed and silent as a whole", whyNotStopped(name, environment)),
      ...(url !== undefined && isCluster(url)
        ? [row("one server of it killed and silent", whyNoServerStopped(name, environment))]
        : []),
      row("cut, halved and late on the wire", whyNotOnTheWire(name, environment)),
      ...(name === "NATS"
        ? [row("its stream deleted", isGiven ? "it is nobody's but its operator's" : undefined)]
        : []),
    ];
  });

/** Skips the test that runs, and says why, where one of the engines is not to be stopped as a whole. */
export const skipUnlessStopped = (skip: (condition: boolean, why: string) => void, ...engines: string[]): void => {
  for (const engine of engines) {
    const why = whyNotStopped(engine);
    if (why === undefined) continue;
    noteMissing(`${engine} to be stopped as a whole: ${why}`);
    skip(true, `not run: ${engine} is not stopped as a whole, as ${why}`);
  }
};
