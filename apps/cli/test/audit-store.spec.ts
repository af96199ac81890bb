import { openEmbeddedEventStore } from "@rubrica/event-store/embedded";
import { systemClock, systemRandom, systemRuntime } from "@rubrica/runtime";
import { expect, test } from "vitest";
import { ownEvents } from "../src/audit-store.ts";

test("of a server that others share, the service's own events are looked at", async () => {
  const events = openEmbeddedEventStore({ path: ":memory:", clock: systemClock, random: systemRandom });
  const event = () => ({ id: systemRuntime().ids.uuidv7(), type: "Something", data: {}, metadata: {} });
  for (const stream of ["orders-1", "document-1", "documents-2", "account-3"])
    await events.append(stream, "no_stream", [event()]);
  const own: string[] = [];
  for await (const { stream } of ownEvents(events)) own.push(stream);
  expect(own).toEqual(["document-1", "account-3"]);
  await events.close();
});
