import { createOutbound } from "@rubrica/outbound";
import { systemClock } from "@rubrica/runtime";
import { expect, test } from "vitest";
import { world } from "../world.ts";

test("a name that nobody knows is not told from one that is not public, nor by how long it took", async () => {
  const known: Record<string, string> = { "inner.example": "10.1.2.3", "outer.example": "8.8.8.8" };
  const outbound = createOutbound({
    clock: systemClock,
    allowPrivate: false,
    resolve: async (name) => {
      const address = known[name];
      if (address === undefined) throw new Error("ENOTFOUND");
      return [{ address, family: 4 }];
    },
  });
  const made = await world({ outbound });
  const resultsFor = async (host: string) => {
    const { status, body } = await made.send("POST", "/api/v2/webhooks/test", { webhook_url: `https://${host}/hook` });
    expect(status).toBe(200);
    return body.results.map(({ webhook_id: _, ...result }: Record<string, unknown>) => result);
  };
  const unknown = await resultsFor("nobody.example");
  expect(await resultsFor("inner.example")).toEqual(unknown);
  expect(unknown[0]).toEqual({
    type: "alert",
    delivered: false,
    status: null,
    reason: "unreachable",
    duration_ms: 0,
  });
});
