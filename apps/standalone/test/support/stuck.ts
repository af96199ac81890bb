// A process that never gets done with stopping.
import { systemClock } from "@rubrica/runtime";
import { Ending } from "../../src/stopping.ts";

const ending = new Ending({ clock: systemClock, limitMs: 50 });
ending.by(() => new Promise(() => undefined));
console.log("ready");
await new Promise((resolve) => process.stdin.once("end", resolve).resume());
