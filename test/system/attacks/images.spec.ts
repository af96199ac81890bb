import { beforeEach, describe, expect, test } from "vitest";
import { joinArena } from "./support/arena.ts";
import { expectBoundedGrowth } from "./support/growth.ts";
import { blankPng, pictures } from "./support/pictures.ts";
import { type Answered, isRefusal, send } from "./support/requests.ts";
import { freshChance, scale } from "./support/seed.ts";

const chance = freshChance("images");
const arena = joinArena();
/** What a signature names beside its drawing. */
let seen: { document_sha256: string; consent: { version: string } };
let signing: string;

beforeEach(async () => {
  signing = (await arena.link()).signing;
  seen = (await arena.client.read(signing)).json();
});

const sendDrawing = (bytes: Buffer, mediaType: string): Promise<Answered> => {
  const garabato = `data:${mediaType};base64,${bytes.toString("base64")}`;
  const body = { garabato, consent_version: seen.consent.version, document_sha256: seen.document_sha256 };
  const headers = { "content-type": "application/json" };
  return send(arena.service.url, { path: `${signing}/sign`, headers, body: JSON.stringify(body) });
};

/** A photo of a document's own: each one is kept, and each link takes but so many. */
const sendPhoto = async (bytes: Buffer, mediaType: string): Promise<Answered> => {
  const { signing } = await arena.link(arena.client, { request_photos: true, wpp: false });
  return send(arena.service.url, {
    path: `${signing}/photos/selfie`,
    headers: { "content-type": mediaType },
    body: bytes,
  });
};

describe("through one link", () => {
  test("blank drawings of 4000 × 4000 hold up nobody", async () => {
    const drawing = blankPng(4_000);
    const answers = await arena.attack("20 blank drawings", () =>
      Promise.all(Array.from({ length: 20 }, () => sendDrawing(drawing, "image/png"))),
    );
    for (const answer of answers) expect(isRefusal(answer), `${answer.status}`).toBe(true);
  });

  test("photos of 8000 × 8000 hold up nobody", async () => {
    const photo = blankPng(8_000);
    const { signing } = await arena.link(arena.client, { request_photos: true });
    const answers = await arena.attack("20 photos of 64 megapixels", () =>
      Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          send(arena.service.url, {
            path: `${signing}/photos/${["selfie", "dni_frontal", "dni_trasera"][index % 3]}`,
            headers: { "content-type": "image/png" },
            body: photo,
          }),
        ),
      ),
    );
    for (const answer of answers) expect(answer.status === 200 || isRefusal(answer), `${answer.status}`).toBe(true);
  });
});

const drawn = chance.some(Object.entries(pictures), 8 * scale).map(([what, picture]) => ({ what, ...picture }));

test.each(drawn)(
  "$what: twice as much costs at most 2.5 times as much, by what it holds",
  async ({ what, from, to, mediaType, make }) => {
    const asDrawing = mediaType !== "image/webp" && chance.below(3) === 0;
    // Pixels grow with the square of a side, and their number is what is sent.
    const sizeOf = what.endsWith("by its side")
      ? (size: number) => Math.round(Math.sqrt(size))
      : (size: number) => size;
    const [least, most] = what.endsWith("by its side") ? [from ** 2, to ** 2] : [from, to];
    await expectBoundedGrowth(arena, {
      what,
      from: least,
      to: most,
      send: async (size) => (asDrawing ? sendDrawing : sendPhoto)(await make(sizeOf(size)), mediaType),
    });
  },
);
