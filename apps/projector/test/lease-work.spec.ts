import { expect, test } from "vitest";
import { LeaseLost, publishingWhileHeld } from "../src/lease-work.ts";

test("what is published goes to the bus while the lease is held, and nothing does from the moment when it is not", async () => {
  let isHeld = true;
  const published: string[] = [];
  const bus = publishingWhileHeld({ publish: async ({ id }) => void published.push(id) }, { isHeld: () => isHeld });
  await bus.publish({ id: "first", subject: "s", body: null });
  isHeld = false;
  await expect(bus.publish({ id: "second", subject: "s", body: null })).rejects.toThrow(LeaseLost);
  expect(published).toEqual(["first"]);
});
