import { expect, test } from "vitest";
import { openWorld } from "./given.ts";
import { openReceiver } from "./receiver.ts";

const HOUR_MS = 3_600_000;
const DOCUMENTS = 5;
const idOf = (number: number) => `019aa5c0-0000-7000-8000-${String(number).padStart(12, "0")}`;

test("a receiver that is down for a day is told of everything, under the first id, in order per document", async () => {
  let isDown = true;
  await using receiver = await openReceiver((response) => void response.writeHead(isDown ? 503 : 200).end());
  await using world = await openWorld();
  const startMs = world.clock.now();
  for (let number = 0; number < DOCUMENTS; number++) {
    const id = idOf(number);
    await world.request(receiver.url, {}, id);
    await world.sign(id);
    await world.seal(id);
    await world.report(id);
  }
  while (world.clock.now() < startMs + 24 * HOUR_MS) {
    await world.meetDue();
    world.clock.advance(HOUR_MS / 4);
  }
  const whileDown = receiver.received.splice(0);
  isDown = false;
  for (let round = 0; round < 200 && receiver.received.length < 2 * DOCUMENTS; round++) {
    await world.meetDue();
    world.clock.advance(HOUR_MS / 4);
  }
  const nameOf = ({ body }: { body: string }) => {
    const { type, data } = JSON.parse(body);
    return `${data.id_seguimiento}/${type}`;
  };
  const taken = receiver.received.map(nameOf);
  // What was tried in vain is the documents' first, and nothing else.
  expect(new Set(whileDown.map(nameOf))).toEqual(new Set(taken.filter((name) => name.endsWith("/alert"))));
  expect(taken).toHaveLength(2 * DOCUMENTS);
  for (let number = 0; number < DOCUMENTS; number++) {
    const own = taken.filter((name) => name.startsWith(idOf(number)));
    expect(own).toEqual([`${idOf(number)}/alert`, `${idOf(number)}/report`]);
  }
  const ids = Map.groupBy([...whileDown, ...receiver.received], nameOf);
  for (const told of ids.values()) expect(new Set(told.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  expect(await world.due()).toEqual([]);
});
