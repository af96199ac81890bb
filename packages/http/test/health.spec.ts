import { yieldToOthers } from "@rubrica/runtime";
import { ManualClock } from "@rubrica/runtime/testing";
import { expect, test } from "vitest";
import { health, NotReady, type ReadinessCheck } from "../src/index.ts";
import { loggedServer } from "./support.ts";

const serverWith = async (checks: Record<string, ReadinessCheck>, clock = new ManualClock()) => {
  const { app } = loggedServer();
  await app.register(health({ clock, checks }));
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
  const clock = new ManualClock();
  const asked = Promise.withResolvers<void>();
  const app = await serverWith(
    {
      store: () => Promise.reject(new Error("secret")),
      files: async () => undefined,
      bus: () => {
        asked.resolve();
        return new Promise(() => undefined);
      },
      disk: () => Promise.reject(new NotReady("it is full", { cause: new Error("secret") })),
    },
    clock,
  );
  let isAnswered = false;
  const answered = app.inject("/readyz").then((response) => {
    isAnswered = true;
    return response;
  });
  await asked.promise;
  clock.advance(1_999);
  await yieldToOthers();
  expect(isAnswered).toBe(false);
  clock.advance(1);
  const response = await answered;
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
