import { systemClock } from "@rubrica/runtime";
import { eventually } from "@rubrica/test-kit";
import type { Fault } from "./faults.ts";
import { drive, type Load } from "./integrator.ts";
import type { World } from "./world.ts";

const CONCURRENCY = 4;
/** Of the log of a process that fails somebody, in characters. */
const LAST_WORDS = 2_000;

/** Of each process whether it is ready, and the end of its log: what tells why somebody was not served. */
const whatAppsSay = async ({ deployment: { apps } }: World): Promise<string> => {
  const said = apps.map(async (app) => {
    const readiness = JSON.stringify(await app.readiness());
    return `${app.name}: ${readiness}\n${app.log().slice(-LAST_WORDS)}`;
  });
  return (await Promise.all(said)).join("\n");
};

/** Has it happen while documents are requested and signed. */
export const befall = async (world: World, fault: Fault, load: Load, numbers: readonly number[]): Promise<void> => {
  const beganMs = systemClock.monotonicMs();
  const before = load.ledger.signed.size;
  const driving = drive(load, numbers, CONCURRENCY);
  // Whoever waits for the fault waits for it too.
  driving.catch(() => {});
  await eventually("the load to be under way", () => load.ledger.signed.size > before);
  const repeated = load.ledger.repeated;
  try {
    await fault.happen(world);
    await driving;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`${fault.name}: ${message}\n${await whatAppsSay(world)}`, { cause: error });
  }
  await world.deployment.ready();
  const seconds = ((systemClock.monotonicMs() - beganMs) / 1000).toFixed(1);
  console.info(
    `${fault.name}${fault.on === undefined ? "" : ` (${fault.on})`}: ${numbers.length} documents in ${seconds} s, ${load.ledger.repeated - repeated} calls again`,
  );
};
