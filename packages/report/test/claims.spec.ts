import { samplePdf } from "@rubrica/test-kit";
import { openWorld, type World } from "@rubrica/test-kit/report/world";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Has, lifeOf, type Part, type Plan } from "./lives/claims.ts";
import { tell } from "./lives/teller.ts";

const LIVES = 12;

let world: World;
let original: Buffer;
beforeAll(async () => {
  world = await openWorld();
  original = await samplePdf();
});
afterAll(() => world[Symbol.asyncDispose]());

const part: fc.Arbitrary<Part> = fc.record({
  template: fc.constantFrom("none", "fails", "sent", "sent"),
  failures: fc.integer({ min: 1, max: 2 }),
  delivered: fc.boolean(),
  read: fc.boolean(),
  answer: fc.constantFrom("none", "continues", "refuses"),
  link: fc.constantFrom("none", "fails", "sent", "sent"),
  linkDelivered: fc.boolean(),
  openings: fc.integer({ min: 0, max: 2 }),
  check: fc.constantFrom("none", "approved", "rejected"),
  consents: fc.boolean(),
});

const plan: fc.Arbitrary<Plan> = fc.record({
  parts: fc.array(part, { minLength: 1, maxLength: 3 }),
  messaging: fc.constantFrom(
    { name: "WhatsApp (Meta)", simulated: false },
    { name: "Rubrica (simulador)", simulated: true },
    null,
  ),
  identity: fc.constantFrom(
    { name: "Acme Identity", simulated: false },
    { name: "Rubrica (simulador)", simulated: true },
    null,
  ),
  rejects: fc.boolean(),
  erased: fc.boolean(),
  sendMessages: fc.boolean(),
});

/** What a report says of what is left of a life, and what it may say: each claim by whether it stands there. */
const compared = async ({ life, claims, needed }: ReturnType<typeof lifeOf>, taken: number | null) => {
  const entries = life.entries.filter((_, index) => index !== taken);
  const said = await tell(world, { ...life, entries });
  if (taken !== null && needed.includes(taken)) return { said: said === null ? [] : ["a report"], may: [] };
  const signers = said?.findIndex(({ title }) => title === "Firmantes") ?? -1;
  const linesAt = (where: number | string) =>
    (typeof where === "number" ? said?.[signers + 1 + where] : said?.find(({ title }) => title === where))?.lines ?? [];
  const has: Has = (event) => event !== taken;
  const contacts = (said ?? []).flatMap(({ lines }, index) =>
    lines.filter((line) => line.startsWith("Contacto: ")).map((line) => `${index - signers - 1}: ${line}`),
  );
  const known = claims.filter(({ where, line }) => linesAt(where).includes(line));
  return {
    // Of contacts nothing may be said but what is foreseen.
    said: [...new Set([...known.map(({ where, line }) => `${where}: ${line}`), ...contacts])].sort(),
    may: [...new Set(claims.filter(({ holds }) => holds(has)).map(({ where, line }) => `${where}: ${line}`))].sort(),
  };
};

test("each event that is taken away takes the sentences that need it, and no others", async () => {
  await fc.assert(
    fc.asyncProperty(plan, async (given) => {
      const written = lifeOf(given, original);
      const whole = await compared(written, null);
      expect(whole.said).toEqual(whole.may);
      for (const taken of written.life.entries.keys()) {
        const { said, may } = await compared(written, taken);
        expect(said, `without event ${taken}, ${written.life.entries[taken]?.event.type}`).toEqual(may);
      }
    }),
    { numRuns: LIVES },
  );
});
