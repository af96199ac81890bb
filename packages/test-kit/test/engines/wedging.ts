import { EventStoreDBClient, jsonEvent } from "@eventstore/db-client";
import { systemClock } from "@rubrica/runtime";

// A process of its own, since what it does ends with rejections that nobody handles: `wedging.ts <url> <case>`. Prints
// what became of an append that wedges the client's batch path, and of those after it, as a line of JSON.

/** What has not settled by then never will. */
const NEVER_MS = 1_500;
/** What is to settle may take long on a busy machine. */
const AT_LAST_MS = 20_000;
const [url = "", name = ""] = process.argv.slice(2);
let unhandled = 0;
process.on("unhandledRejection", () => {
  unhandled += 1;
});

const became = (append: Promise<unknown>, limitMs: number): Promise<string> =>
  Promise.race([
    append.then(
      () => "appended",
      () => "failed",
    ),
    systemClock.wait(limitMs, { background: true }).then(() => "unsettled"),
  ]);

const client = EventStoreDBClient.connectionString(url);
const append = (of: EventStoreDBClient, event: object = {}) =>
  of.appendToStream("wedging", [{ ...jsonEvent({ type: "Happened", data: {} }), ...event }]);

/** What wedges it, for each case. */
const cases: Record<string, () => Promise<unknown>> = {
  "invalid id": () => append(client, { id: "1" }),
  "empty type": () => append(client, { type: "" }),
  bigint: () => append(client, { data: { amount: 1n } }),
  "another client disposed": async () => {
    const other = EventStoreDBClient.connectionString(url);
    await append(other);
    const pending = Promise.allSettled(Array.from({ length: 200 }, () => append(client)));
    await other.dispose();
    return pending.then(() => Promise.reject(new Error("all are told that they were cancelled")));
  },
};

const say = (became: object) => {
  console.log(JSON.stringify({ ...became, unhandled: unhandled > 0 }));
  process.exit(0);
};

await append(client);
const first = await became(cases[name]?.() ?? Promise.reject(new Error("no such case")), NEVER_MS);
const next = await became(append(client), name === "bigint" ? AT_LAST_MS : NEVER_MS);
if (name === "another client disposed") say({ first, next });
// The unary path of the same client is another call each time.
const credentials = { username: "any", password: "any" };
const unary = await became(
  client.appendToStream("wedging", jsonEvent({ type: "Happened", data: {} }), { credentials }),
  AT_LAST_MS,
);
await client.dispose();
const afterDispose = await became(append(client), AT_LAST_MS);
say({ first, next, unary, afterDispose });
