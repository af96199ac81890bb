import { engineCommandsIn, isCluster } from "../engines/index.ts";
import { noteMissing } from "../tools.ts";
import { KINDS } from "./kinds.ts";
import type { EngineFault, NotedFault } from "./noted-faults.ts";

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

/** Why a fault that nothing forbids did not happen: the tests with faults take all engines, and a run may pick others. */
const whyNoTest = (environment: Environment): string => {
  const lacking = KINDS.filter(({ variable, isThere }) => environment[variable] === undefined && !isThere());
  if (lacking.length === 0) return "no test that ran had it happen";
  return `its tests take all engines, and there is none on this machine of ${lacking.map(({ name }) => name).join(", ")}`;
};

/**
 * Each fault that may befall each engine: whether it befell the server, what stands for it, or was not run, and why.
 * @param happened what tests noted as they had it happen: what they could have done says nothing.
 */
export const sayFaults = (happened: readonly NotedFault[], environment: Environment = process.env): string[] => {
  const noTest = whyNoTest(environment);
  return KINDS.flatMap(({ name, isTrue }) => {
    const url = urlOf(name, environment);
    const on = url !== undefined || isTrue ? "on the server" : "on what stands for the server";
    const rows = (why: string | undefined, ...faults: EngineFault[]) =>
      faults.map((fault) => {
        const isDone = happened.some((one) => one.engine === name && one.fault === fault);
        return `${name}, ${fault}: ${isDone ? on : `not run, as ${why ?? noTest}`}`;
      });
    return [
      ...rows(whyNotStopped(name, environment), "killed as a whole", "silent as a whole"),
      ...(url !== undefined && isCluster(url)
        ? rows(whyNoServerStopped(name, environment), "one server of it killed", "one server of it silent")
        : []),
      ...rows(whyNotOnTheWire(name, environment), "cut on the wire", "halved on the wire", "late on the wire"),
      ...(name === "NATS"
        ? rows(url === undefined ? undefined : "it is nobody's but its operator's", "its stream deleted")
        : []),
    ];
  });
};

/** Skips the test that runs, and says why, where one of the engines is not to be stopped as a whole. */
export const skipUnlessStopped = (skip: (condition: boolean, why: string) => void, ...engines: string[]): void => {
  for (const engine of engines) {
    const why = whyNotStopped(engine);
    if (why === undefined) continue;
    noteMissing(`${engine} to be stopped as a whole: ${why}`);
    skip(true, `not run: ${engine} is not stopped as a whole, as ${why}`);
  }
};
