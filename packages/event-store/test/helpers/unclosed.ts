// Appends to a store, and ends without closing it.
import { systemClock } from "@rubrica/runtime";
import { openEmbeddedEventStore } from "../../src/embedded/store.ts";
import { anEvent } from "./events.ts";

const store = openEmbeddedEventStore({ path: process.argv[2] ?? "", clock: systemClock });
await store.append("a-1", "no_stream", [anEvent()]);
console.log("appended");
