import { expect, test } from "vitest";
import { Room } from "../../src/webhooks/room.ts";

const open = (limits = { totalBytes: 100, receiverBytes: 40 }) => {
  const stopping = new AbortController();
  return { stopping, room: new Room(stopping.signal, limits) };
};

test("a receiver's callbacks hold no more than its share, and nobody else's is held up", () => {
  const { room } = open();
  expect(room.tryHold("slow", 30)).toBeDefined();
  expect(room.tryHold("slow", 11)).toBeUndefined();
  expect(room.tryHold("slow", 10)).toBeDefined();
  expect(room.tryHold("other", 40)).toBeDefined();
});

test("all together hold no more than there is", () => {
  const { room } = open();
  for (const receiver of ["a", "b"]) expect(room.tryHold(receiver, 40)).toBeDefined();
  expect(room.tryHold("c", 21)).toBeUndefined();
  expect(room.tryHold("c", 20)).toBeDefined();
});

test("one that is larger than a share goes alone of its receiver's", () => {
  const { room } = open();
  const large = room.tryHold("a", 60);
  expect(large).toBeDefined();
  expect(room.tryHold("a", 1)).toBeUndefined();
  large?.[Symbol.dispose]();
  expect(room.tryHold("a", 1)).toBeDefined();
});

test("who waits is told once there is room, and nobody before", async () => {
  const { room } = open();
  const held = room.tryHold("a", 40);
  let entered = false;
  const waiting = room.wait("a", 10).then(() => {
    entered = true;
  });
  room.tryHold("b", 10)?.[Symbol.dispose]();
  await new Promise(setImmediate);
  expect(entered).toBe(false);
  held?.[Symbol.dispose]();
  await waiting;
  held?.[Symbol.dispose]();
  expect(room.tryHold("a", 40)).toBeDefined();
  expect(room.tryHold("a", 1)).toBeUndefined();
});

test("whoever waits is let go when the service stops", async () => {
  const { room, stopping } = open();
  room.tryHold("a", 40);
  const waiting = room.wait("a", 10);
  stopping.abort(new Error("stopping"));
  await expect(waiting).rejects.toThrow("stopping");
  await expect(room.wait("a", 10)).rejects.toThrow("stopping");
});
