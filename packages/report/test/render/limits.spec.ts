import { systemClock } from "@rubrica/runtime";
import { tell } from "@rubrica/test-kit/report/story";
import { openWorld, type World } from "@rubrica/test-kit/report/world";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Content } from "../../src/layout/blocks.ts";
import { createRenderer } from "../../src/render/render.ts";
import { linesOf, printed, textOf, toolsAreMissing } from "../tools.ts";

const missing = toolsAreMissing();

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
    const pdf = await world.reports.build(told.documentId, "somebody");
    const pages = Number(/Pages:\s+(\d+)/.exec(printed(pdf, "pdfinfo", "{}"))?.[1]);
    expect(pages).toBeLessThan(12);
    expect(textOf(pdf)).toContain("…");
    expect(textOf(pdf)).not.toContain("FIN");
  });

  test("can't turn the reading round, or hide parts of a name", async () => {
    const told = await tell(world, { people: [{ name: "Ana\u202eZAP\u200b\u0000 Paz\n<b>" }] });
    expect(linesOf(await world.reports.build(told.documentId, "somebody")).join("\n")).toContain("AnaZAP Paz <b>");
  });
});

test.skipIf(process.platform !== "linux")("setting a report has bounds, and the next one is set", async () => {
  const renderer = createRenderer({ clock: systemClock, limits: { cpuMs: 150, heapMb: 320, memoryMb: 400 } });
  const sealing = { identity: world.identity, sealedAt: systemClock.now() };
  // One paragraph, set often: what is sent to the helper is small, so that its time goes to setting.
  const paragraph = { kind: "paragraph", text: "Ελένη Łukasz ".repeat(200) } as const;
  const contentOf = (paragraphs: number): Content => ({
    language: "es",
    title: "",
    subject: "",
    createdAt: 0,
    footer: { left: "", page: "" },
    notice: null,
    blocks: Array.from({ length: paragraphs }, () => paragraph),
    attachments: [],
  });
  await expect(renderer.render(contentOf(2_000), sealing, "somebody")).rejects.toMatchObject({
    name: "BoundExceeded",
    bound: "time",
  });
  expect((await renderer.render(contentOf(0), sealing, "somebody")).length).toBeGreaterThan(1_000);
  await renderer.close();
});
