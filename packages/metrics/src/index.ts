export { type CounterName, type GaugeName, metricNames } from "./definitions.ts";
export { createMetrics, type Measured, type Measurement, type Measurements, type Metrics } from "./metrics.ts";
