import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { allLevel } from "../../bench/level.ts";

/** Metrics of a service whose read model of analysts is so many seconds behind, one after the other asked; then as at last. */
const metricsOf = async (...lags: number[]) => {
  const server = createServer((_request, response) => {
    const lag = lags.length > 1 ? lags.shift() : lags[0];
    const line = (projection: string, value = 0) =>
      `rubrica_projection_lag_seconds{projection="${projection}"} ${value}`;
    response.end(["# TYPE rubrica_projection_lag_seconds gauge", line("documents"), line("analytics", lag)].join("\n"));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`;
  return { url, [Symbol.dispose]: () => void server.close().closeAllConnections() };
};

test("read models are waited for, those that nobody waits for among them", async () => {
  using metrics = await metricsOf(0.4, 0.1, 0);
  await allLevel(metrics.url, 60_000);
});

test("one that does not come to the last event is named", async () => {
  using metrics = await metricsOf(0.4);
  await expect(allLevel(metrics.url, 0)).rejects.toThrow("not level: analytics");
});
