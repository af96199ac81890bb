import { expect, test } from "vitest";
import { tamperings, undetected } from "../tampering.ts";

const IN_ALL = 1_000;

test("of a thousand tamperings by somebody who has the log and not the keys, each is found and named", async () => {
  const kinds = Object.keys(tamperings);
  for (const kind of kinds) expect(await undetected(kind, Math.ceil(IN_ALL / kinds.length), 1), kind).toEqual([]);
});
