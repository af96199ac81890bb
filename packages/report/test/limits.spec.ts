import { systemClock } from "@rubrica/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRenderer } from "../src/render/renderer.ts";
import { tell } from "./story.ts";
import { linesOf, missing, printed, textOf } from "./tools.ts";
import { openWorld, type World } from "./world.ts";

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

describe.skipIf(missing)("texts that people wrote", () => {
  test("are cut at what a page holds, however long", async () => {
    const endless = "muy largo ".repeat(20_000);
    const told = await tell(world, {
      people: [{ name: "Ana Paz" }],
      documentName: endless,
      businessName: "x".repeat(50_000),
      rejectedFor: `${endless}FIN`,
    });
    const pdf = await world.reports.build(told.documentId);
    const pages = Number(/Pages:\s+(\d+)/.exec(printed(pdf, "pdfinfo", "{}"))?.[1]);
    expect(pages).toBeLessThan(12);
    expect(textOf(pdf)).toContain("…");
    expect(textOf(pdf)).not.toContain("FIN");
  });

  test("can't turn the reading round, or hide parts of a name", async () => {
    const told = await tell(world, { people: [{ name: "Ana\u202eZAP\u200b\u0000 Paz\n<b>" }] });
    expect(linesOf(await world.reports.build(told.documentId)).join("\n")).toContain("AnaZAP Paz <b>");
  });
});

test("setting a report has a time limit", async () => {
  // A clock on which every wait is over at once.
  const renderer = createRenderer({ ...systemClock, wait: async () => undefined });
  const content = {
    language: "es",
    title: "",
    subject: "",
    createdAt: 0,
    footer: { left: "", page: "" },
    blocks: [],
    attachments: [],
  };
  await expect(renderer.render(content)).rejects.toThrow();
  await renderer.close();
});
