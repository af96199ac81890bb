import { pdfShapes } from "@rubrica/test-kit/pdf-shapes";
import { describe, expect, test } from "vitest";
import { joinArena } from "./support/arena.ts";
import { expectBoundedGrowth } from "./support/growth.ts";
import { containers, manyKeys, shapes, structures } from "./support/pdfs.ts";
import { type Answered, addressOf, isRefusal, send } from "./support/requests.ts";
import { freshChance, scale } from "./support/seed.ts";

/** The size of the largest shapes: about as large as a body may be. */
const LEAST_PARTS = 1_000;
const MOST_PARTS = 1_000_000;
const MOST_IN_STRUCTURES = 64_000;

const chance = freshChance("PDF");
const arena = joinArena();
let address = 0;

/** Anybody's check of a file, each time from another address: what is attacked is the reading. */
const check = (body: Buffer): Promise<Answered> => {
  address += 1;
  return send(arena.service.url, {
    path: "/api/verify",
    headers: { "content-type": "application/pdf" },
    body,
    from: addressOf(address),
  });
};

const upload = (pdf: Buffer): Promise<Answered> =>
  send(arena.service.url, {
    path: "/api/v2/documentSet",
    headers: { "content-type": "application/json", "x-api-key": arena.apiKey },
    body: JSON.stringify({
      document: pdf.toString("base64"),
      datos_firmantes: [{ name: "Ana Paz", dni: "30123456", dni_country: "AR", phone: "5491140000001" }],
      wpp: false,
    }),
  });

describe("a catalog of a million keys in an object stream", () => {
  test.each([
    ["anybody's check", check],
    ["an upload", upload],
  ])("harms nobody as %s", async (what, attack) => {
    const answers = await arena.attack(`a million keys, ${what}`, () =>
      Promise.all(Array.from({ length: 3 }, () => attack(manyKeys()))),
    );
    for (const answer of answers) expect(answer.status === 200 || isRefusal(answer), `${answer.status}`).toBe(true);
  });
});

const allInContainers = Object.entries(containers).flatMap(([container, around]) =>
  Object.entries(shapes).map(([shape, value]) => ({
    what: `${shape} in ${container}`,
    from: LEAST_PARTS,
    to: MOST_PARTS,
    make: (size: number) => around(value(size)),
  })),
);
const allShapes = pdfShapes.map(({ name, size, make }) => ({
  what: name,
  from: size,
  to: 4 * size,
  make: (ofSize: number) => Buffer.from(make(ofSize, chance.random)),
}));
const allHanging = Object.entries(structures).map(([what, make]) => ({
  what,
  from: LEAST_PARTS,
  to: MOST_IN_STRUCTURES,
  make,
}));
const someOf = (cases: typeof allHanging) => {
  const inBothWays = cases.flatMap((each) => [
    { ...each, how: "checked", attack: check },
    { ...each, how: "uploaded", attack: upload },
  ]);
  return chance.some(inBothWays, 6 * scale);
};

test.each([allInContainers, allHanging, allShapes].flatMap(someOf))(
  "$what, $how: twice as much costs at most 2.5 times as much",
  async ({ what, how, from, to, make, attack }) => {
    await expectBoundedGrowth(arena, { what: `${what}, ${how}`, from, to, send: (size) => attack(make(size)) });
  },
);
