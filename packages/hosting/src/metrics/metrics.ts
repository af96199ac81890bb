import { type Clock, remembered, WAIT_ENDED } from "@rubrica/runtime";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { type CounterName, counters, type GaugeName, gauges, requestDuration } from "./definitions.ts";

/**
 * How long a measurement may take. Prometheus waits for 10 s by default, and one slow measurement must not lose the
 * others.
 */
const MEASURED_WITHIN_MS = 4_000;
/** How long a measurement is remembered, whoever asks. */
const REMEMBERED_MS = 5_000;
/**
 * How often the event loop is looked at for delays. What is measured includes this pause: 0.1 s means no delay. The library's
 * own 10 ms wake an idle process a hundred times a second, for 5 ms of processor.
 */
const LOOKED_AT_MS = 100;
/** Seconds: from what memory answers to where people give up. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** One value of a metric, and by what it is told. */
export interface Measured {
  labels?: Readonly<Record<string, string>>;
  value: number;
}

/** Looks what the values are now. */
export type Measurement = () => Promise<readonly Measured[]>;

/** By the metric that is measured. */
export type Measurements = Readonly<Partial<Record<GaugeName, Measurement>>>;

/** What a process tells of itself, in Prometheus' text format. */
export interface Metrics {
  readonly contentType: string;
  /** All metrics. What could not be measured in time is left out, and counted. */
  text(): Promise<string>;
  /** Has gauges measured whenever they are asked for; each by the last measurement that it was given. */
  measure(measurements: Measurements): void;
  /** Counts one more. */
  count(name: CounterName, labels: Readonly<Record<string, string>>): void;
  /** Takes a request's time down. `route`: its template, or null where there is none. */
  answered(request: { method: string; route: string | null; status: number; durationMs: number }): void;
}

/** Metrics of this process: those of the runtime from the beginning, others as they are told of. */
export const createMetrics = ({ clock }: { clock: Clock }): Metrics => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LOOKED_AT_MS });
  const told = new Map(
    Object.entries(counters).map(([key, { name, help, labels: labelNames }]) => [
      key,
      new Counter<string>({ name, help, labelNames, registers: [registry] }),
    ]),
  );
  const count: Metrics["count"] = (name, labels) => told.get(name)?.inc(labels);
  const { name, help, labels: labelNames } = requestDuration;
  const durations = new Histogram({ name, help, labelNames, buckets: BUCKETS, registers: [registry] });
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    measure(measurements) {
      for (const [gauge, look] of Object.entries(measurements) as [GaugeName, Measurement][]) {
        const bounded = remembered(clock, REMEMBERED_MS, () => inTime(clock, look));
        const onFailure = () => count("measurementFailures", { metric: gauges[gauge].name });
        registry.removeSingleMetric(gauges[gauge].name);
        registry.registerMetric(gaugeOf(gauge, bounded, onFailure));
      }
    },
    count,
    answered({ method, route, status, durationMs }) {
      // A request to no route may have any method.
      const labels = { method: route === null ? "none" : method, route: route ?? "none", status: classOf(status) };
      durations.observe(labels, durationMs / 1_000);
    },
  };
};

/** `2xx`. */
const classOf = (status: number): string => `${Math.floor(status / 100)}xx`;

const gaugeOf = (gauge: GaugeName, look: Measurement, onFailure: () => void): Gauge => {
  const { name, help, labels: labelNames } = gauges[gauge];
  return new Gauge<string>({
    name,
    help,
    labelNames,
    registers: [],
    async collect() {
      this.reset();
      // A reset leaves a 0 in a gauge without labels, though nothing was measured.
      if (labelNames.length === 0) this.remove();
      try {
        for (const { labels = {}, value } of await look()) this.set(labels, value);
      } catch {
        onFailure();
      }
    },
  });
};

const inTime = async (clock: Clock, look: Measurement): Promise<readonly Measured[]> => {
  const measured = new AbortController();
  const late = clock.wait(MEASURED_WITHIN_MS, { signal: measured.signal, background: true }).then(() => {
    throw new Error("it took too long");
  });
  try {
    return await Promise.race([look(), late]);
  } finally {
    measured.abort(WAIT_ENDED);
  }
};
