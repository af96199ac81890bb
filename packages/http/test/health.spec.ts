import { systemClock } from "@rubrica/runtime";
import { expect, test } from "vitest";
import { health, NotReady, type ReadinessCheck } from "../src/index.ts";
import { loggedServer } from "./support.ts";

const serverWith = async (checks: Record<string, ReadinessCheck>) => {
  const { app } = loggedServer();
  await app.register(health({ clock: systemClock, checks, timeoutMs: 20 }));
  return app;
};

test("alive is answered without asking anybody", async () => {
  const app = await serverWith({ store: () => new Promise(() => undefined) });
  const response = await app.inject("/livez");
  expect([response.statusCode, response.json()]).toEqual([200, { status: "ok" }]);
});

test("ready is answered when every part is there", async () => {
  const response = await (await serverWith({ store: async () => undefined })).inject("/readyz");
  expect([response.statusCode, response.json()]).toEqual([200, { status: "ready" }]);
});

test("not ready names the parts that fail or don't answer, and why in words that were meant for it alone", async () => {
  const app = await serverWith({
    store: () => Promise.reject(new Error("secret")),
    files: async () => undefined,
    bus: () => new Promise(() => undefined),
    disk: () => Promise.reject(new NotReady("it is full", { cause: new Error("secret") })),
  });
  const response = await app.inject("/readyz");
  expect(response.statusCode).toBe(503);
  expect(response.json()).toEqual({
    status: "not ready",
    failing: ["store", "bus", "disk"],
    reasons: { store: "it answers with an error", bus: "it does not answer", disk: "it is full" },
  });
});

test("ready says too what a part can't do while it does the rest", async () => {
  const response = await (
    await serverWith({ store: async () => undefined, streams: async () => "1 of them can't be read" })
  ).inject("/readyz");
  expect(response.statusCode).toBe(200);
  expect(response.json()).toEqual({ status: "ready", degraded: { streams: "1 of them can't be read" } });
});
