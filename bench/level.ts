import { runtime } from "./measure.ts";

const { clock } = runtime;
/** Read models that nobody waits for gather events for half a second; each look costs the service work that is no part of it. */
const POLL_MS = 300;
const LAG = /^rubrica_projection_lag_seconds\{.*?projection="([^"]+)".*?\} (\S+)$/gm;

/** Read models that have not come to all events, by what a service's metrics say. */
const behind = async (metricsUrl: string): Promise<string[]> => {
  const lags = [...(await (await fetch(metricsUrl)).text()).matchAll(LAG)];
  if (lags.length === 0) throw new Error("the service does not say how far behind its read models are");
  return lags.filter(([, , seconds]) => Number(seconds) !== 0).map(([, projection = ""]) => projection);
};

/** Resolves when each read model is level, those among them that no reader waits for. @throws if one does not come so far. */
export const allLevel = async (metricsUrl: string, patienceMs: number): Promise<void> => {
  const deadlineMs = clock.monotonicMs() + patienceMs;
  for (;;) {
    await clock.wait(POLL_MS);
    const late = await behind(metricsUrl);
    if (late.length === 0) return;
    if (clock.monotonicMs() > deadlineMs) throw new Error(`read models are not level: ${late.join(", ")}`);
  }
};
