import perfHooks from "node:perf_hooks";
import { ManualClock } from "@rubrica/runtime/testing";
import { expect, test, vi } from "vitest";
import { createMetrics } from "../../src/metrics/metrics.ts";

/** The lines that tell samples of a metric. */
const samplesOf = (text: string, name: string): string[] =>
  text.split("\n").filter((line) => line.startsWith(name) && !line.includes("_bucket"));

test("a gauge is measured when it is asked for, not more often than every 5 s", async () => {
  const clock = new ManualClock();
  const metrics = createMetrics({ clock });
  let value = 0;
  metrics.measure({ helperQueue: async () => [{ labels: { pool: "images" }, value: ++value }] });
  const told = async () => samplesOf(await metrics.text(), "rubrica_helper_queue");
  expect(await told()).toEqual(['rubrica_helper_queue{pool="images"} 1']);
  expect(await told()).toEqual(['rubrica_helper_queue{pool="images"} 1']);
  clock.advance(5_000);
  expect(await told()).toEqual(['rubrica_helper_queue{pool="images"} 2']);
});

test("what can't be measured, or not in time, is left out and counted, and keeps nothing else back", async () => {
  const clock = new ManualClock();
  const metrics = createMetrics({ clock });
  metrics.measure({
    diskFree: () => Promise.reject(new Error("the disk is gone")),
    projectionLag: () => new Promise(() => {}),
    helperMemory: async () => [{ value: 7 }],
    diskSize: async () => [],
  });
  const telling = metrics.text();
  await new Promise(setImmediate);
  clock.advance(4_000);
  const text = await telling;
  expect(samplesOf(text, "rubrica_helper_memory_bytes")).toEqual(["rubrica_helper_memory_bytes 7"]);
  expect(samplesOf(text, "rubrica_disk_free_bytes")).toEqual([]);
  expect(samplesOf(text, "rubrica_disk_size_bytes")).toEqual([]);
  expect(samplesOf(text, "rubrica_projection_lag_seconds")).toEqual([]);
  expect(samplesOf(await metrics.text(), "rubrica_measurement_failures_total").toSorted()).toEqual([
    expect.stringMatching(/\{metric="rubrica_disk_free_bytes"\} [12]$/),
    expect.stringMatching(/\{metric="rubrica_projection_lag_seconds"\} [12]$/),
  ]);
});

test("requests are told by their route and the class of their status; of a route that there is not, nothing else", async () => {
  const metrics = createMetrics({ clock: new ManualClock() });
  metrics.answered({ method: "GET", route: "/s/:token", status: 200, durationMs: 250 });
  metrics.answered({ method: "GET", route: "/s/:token", status: 404, durationMs: 1 });
  metrics.answered({ method: "PROPFIND", route: null, status: 404, durationMs: 1 });
  metrics.answered({ method: "ANYTHING", route: null, status: 404, durationMs: 1 });
  const text = await metrics.text();
  expect(samplesOf(text, "rubrica_http_request_duration_seconds_count")).toEqual([
    'rubrica_http_request_duration_seconds_count{method="GET",route="/s/:token",status="2xx"} 1',
    'rubrica_http_request_duration_seconds_count{method="GET",route="/s/:token",status="4xx"} 1',
    'rubrica_http_request_duration_seconds_count{method="none",route="none",status="4xx"} 2',
  ]);
  expect(text).toContain('duration_seconds_sum{method="GET",route="/s/:token",status="2xx"} 0.25');
});

test("an idle process is woken ten times a second for what it tells of its event loop", () => {
  const looks = vi.spyOn(perfHooks, "monitorEventLoopDelay");
  createMetrics({ clock: new ManualClock() });
  expect(looks.mock.calls).toEqual([[{ resolution: 100 }]]);
});
