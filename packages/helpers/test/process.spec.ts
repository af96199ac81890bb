import { nextTurn } from "@rubrica/runtime";
import { expect, test } from "vitest";
import { HelperProcess } from "../src/process.ts";

/** More often than an emitter may have listeners before the runtime warns of them. */
const TIMES = 20;

test("a helper that has ended is not held on to, however often it is ended again to make room", async () => {
  const warnings: string[] = [];
  const collect = ({ message }: Error) => void warnings.push(message);
  process.on("warning", collect);
  const entry = new URL("./helper.ts", import.meta.url);
  const helper = new HelperProcess({ entry, title: "rubrica: tests", heapMb: 128, user: undefined });
  await helper.ready;
  for (let time = 0; time < TIMES; time++) await helper.kill();
  // The runtime warns a moment later.
  await nextTurn();
  process.off("warning", collect);
  expect(warnings).toEqual([]);
});
