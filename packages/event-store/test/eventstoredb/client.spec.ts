import { Readable } from "node:stream";
import { freePort } from "@rubrica/test-kit";
import { expect, test } from "vitest";
import { clientOf } from "../../src/eventstoredb/client.ts";

test("what looks after a lost connection does not fail by itself where no member of a cluster is found", async () => {
  const client = clientOf(`esdb+discover://127.0.0.1:${await freePort()}?tls=false&discoveryInterval=10`);
  const reading = client.readAll();
  const failed = new Promise((resolve) => reading.once("error", resolve));
  // As the client does for a call on its former connection while it looks for another; it awaits nothing of it.
  const lost = Object.assign(new Error("14 UNAVAILABLE"), { code: 14, details: "" });
  const lookingAfter = Reflect.get(client, "handleError")({ getChannel: () => undefined }, lost);
  await expect(lookingAfter).resolves.toBeUndefined();
  expect(await failed).toMatchObject({ message: "Failed to discover after 3 attempts." });
  await client.close();
});

test("closing ends every stream, and waits for none of them to say that it is closed", async () => {
  const client = clientOf("esdb://127.0.0.1:2113?tls=false");
  let isEnded = false;
  const destroy = () => {
    isEnded = true;
  };
  Reflect.get(client, "disposableStreams").add(new Readable({ read: () => {}, destroy }));
  await client.close();
  expect(isEnded).toBe(true);
});
