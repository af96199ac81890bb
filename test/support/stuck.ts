// A process that never gets done with stopping.
import { Ending } from "@rubrica/hosting";
import { systemClock } from "@rubrica/runtime";

const ending = new Ending({ clock: systemClock, limitMs: 50 });
ending.by(() => new Promise(() => undefined));
console.log("ready");
await new Promise((resolve) => process.stdin.once("end", resolve).resume());
