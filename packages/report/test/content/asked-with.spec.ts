import { samplePdf } from "@rubrica/test-kit";
import { openWorld } from "@rubrica/test-kit/report/world";
import { expect, test } from "vitest";
import { Writer } from "../lives/entries.ts";
import { tell } from "../lives/teller.ts";

test("a report tells of each signer with whom they were asked together, and of nobody asked alone", async () => {
  await using world = await openWorld();
  const writer = new Writer();
  writer.requested(await samplePdf(), 4, {}, [0, 1, 1, 1]);
  writer.rejected(1, "no");
  const said = (await tell(world, writer.life())) ?? [];
  const lines = said.flatMap((section) => section.lines).filter((line) => line.startsWith("Orden de firma"));
  expect(lines).toEqual([
    "Orden de firma: A la vez que los firmantes 3 y 4",
    "Orden de firma: A la vez que los firmantes 2 y 4",
    "Orden de firma: A la vez que los firmantes 2 y 3",
  ]);
});
