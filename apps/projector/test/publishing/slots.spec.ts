import { expect, test } from "vitest";
import { Slots } from "../../src/publishing/slots.ts";

/** Half of an account's 128, and of the 512 that there are in all. */
const TRIALS_OF_ACCOUNT = 64;
const TRIALS_IN_ALL = 256;
const NOW = "2026-01-01T00:00:00.000Z";

const world = () => {
  const slots = new Slots();
  let count = 0;
  /** One webhook to a receiver of the account that nothing is known of, or to the one named. */
  const publish = (account: string, receiver = `receiver${count}`): string => {
    count += 1;
    const id = `obligation${count}`;
    slots.take(id, { kind: "webhook", lane: `${account}.${receiver}`, dueAt: NOW, number: 0 }, 0);
    return id;
  };
  /** The receiver takes one webhook: it is trusted with more at a time from then on. */
  const earnTrust = (lane: `${string}.${string}`): void => {
    const [account = "", receiver] = lane.split(".");
    slots.heard(publish(account, receiver), 1);
  };
  return { slots, publish, earnTrust };
};

test("receivers that are not trusted have half of their account's slots", () => {
  const { slots, publish, earnTrust } = world();
  earnTrust("a.known");
  for (let count = 1; count < TRIALS_OF_ACCOUNT; count += 1) publish("a");
  expect(slots.free("webhook", "a.new")).toBe(1);
  publish("a");
  expect(slots.free("webhook", "a.new")).toBe(0);
  expect(slots.free("webhook", "a.known")).toBe(4);
  expect(slots.free("webhook", "b.new")).toBe(2);
});

test("receivers that are not trusted have half of all slots", () => {
  const { slots, publish, earnTrust } = world();
  earnTrust("z.known");
  for (let count = 1; count < TRIALS_IN_ALL; count += 1) publish(`account${count % 8}`);
  expect(slots.free("webhook", "z.new")).toBe(1);
  const last = publish("y");
  expect(slots.free("webhook", "z.new")).toBe(0);
  expect(slots.free("webhook", "z.known")).toBe(4);
  slots.heard(last, 1);
  expect(slots.free("webhook", "z.new")).toBe(1);
});

test("a slot is given back once nothing was heard of it for a minute", () => {
  const { slots, publish } = world();
  publish("a", "one");
  publish("a", "one");
  slots.expire(59_999);
  expect(slots.free("webhook", "a.one")).toBe(0);
  slots.expire(60_000);
  expect(slots.free("webhook", "a.one")).toBe(2);
});
