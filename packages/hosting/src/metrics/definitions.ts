/** What a metric is called, what it tells, and by what. Labels have few values, known beforehand, and name nobody. */
interface Definition {
  name: string;
  help: string;
  labels: readonly string[];
}

/** What is looked at when it is asked for. */
export const gauges = {
  obligations: {
    name: "rubrica_obligations",
    help: "Open obligations: due, failing (due, after an attempt that failed), or scheduled for later.",
    labels: ["kind", "state"],
  },
  oldestObligation: {
    name: "rubrica_obligation_oldest_due_seconds",
    help: "For how long the oldest obligation of the kind has been due.",
    labels: ["kind"],
  },
  projectionLag: {
    name: "rubrica_projection_lag_seconds",
    help: "How long ago the first event was written that the projection has not come to.",
    labels: ["projection"],
  },
  readiness: {
    name: "rubrica_ready",
    help: "Whether a part that the app needs does its work, as /readyz tells: 1 or 0.",
    labels: ["part"],
  },
  helperProcesses: {
    name: "rubrica_helper_processes",
    help: "Helper processes of a pool, working or idle.",
    labels: ["pool", "state"],
  },
  helperQueue: {
    name: "rubrica_helper_queue",
    help: "Tasks that wait for a helper process of a pool.",
    labels: ["pool"],
  },
  helperMemory: {
    name: "rubrica_helper_memory_bytes",
    help: "Memory of all helper processes, without what they share.",
    labels: [],
  },
  helperMemoryLimit: {
    name: "rubrica_helper_memory_limit_bytes",
    help: "Memory that all helper processes may have, without what they share.",
    labels: [],
  },
  diskFree: {
    name: "rubrica_disk_free_bytes",
    help: "What is left on the disk of the data folder.",
    labels: [],
  },
  diskSize: {
    name: "rubrica_disk_size_bytes",
    help: "Size of the disk of the data folder.",
    labels: [],
  },
  streamsCut: {
    name: "rubrica_streams_cut",
    help: "Streams that do not hold what a head of the log is over: what they owe is not done until they are mended.",
    labels: [],
  },
  certificateSeconds: {
    name: "rubrica_sealing_certificate_seconds_left",
    help: "How long the certificate that documents are sealed with is still valid.",
    labels: [],
  },
} as const satisfies Record<string, Definition>;

/** What is counted as it happens. */
export const counters = {
  attempts: {
    name: "rubrica_attempts_total",
    help: "Attempts to do what lies outside, by whom it was asked of: succeeded, failed (tried again), or abandoned.",
    labels: ["kind", "provider", "outcome"],
  },
  tasks: {
    name: "rubrica_helper_tasks_total",
    help: "Tasks that helper processes of a pool did, refused (the file was beyond a bound), failed at, or had no room for.",
    labels: ["pool", "outcome"],
  },
  measurementFailures: {
    name: "rubrica_measurement_failures_total",
    help: "Metrics that could not be measured when they were asked for, and were left out.",
    labels: ["metric"],
  },
} as const satisfies Record<string, Definition>;

export const requestDuration = {
  name: "rubrica_http_request_duration_seconds",
  help: "From a request's head to the last byte of its answer, by the route's template; `none` where there is no such route.",
  labels: ["method", "route", "status"],
} as const satisfies Definition;

export type GaugeName = keyof typeof gauges;
export type CounterName = keyof typeof counters;

/** What all metrics of Rubrica are called; a histogram's has `_bucket`, `_sum` or `_count` behind it. */
export const metricNames: readonly string[] = [
  ...Object.values(gauges),
  ...Object.values(counters),
  requestDuration,
].map(({ name }) => name);
