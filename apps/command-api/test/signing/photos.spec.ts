import sharp from "sharp";
import { beforeAll, describe, expect, test } from "vitest";
import { asked, signature, typesOf } from "../signing.ts";
import { type World, world } from "../world.ts";

let made: World;
beforeAll(async () => {
  made = await world();
});

const picture = (background: string, width = 60, height = 40) =>
  sharp({ create: { width, height, channels: 3, background } });
const jpeg = (background: string) => picture(background).jpeg().toBuffer();

const upload = async (url: string, bytes: Buffer, type = "image/jpeg", own = made) => {
  const { statusCode, payload } = await own.app.inject({
    method: "POST",
    url,
    headers: { "content-type": type },
    payload: bytes,
  });
  return { status: statusCode, body: JSON.parse(payload) };
};
const kinds = ["selfie", "dni_frontal", "dni_trasera"] as const;
const UNREADABLE = { error: "Bad Request", details: [{ path: "", message: "must be a JPEG, PNG or WebP image" }] };

describe("a photo", () => {
  test.each([
    ["image/jpeg", () => picture("red").jpeg()],
    ["image/png", () => picture("red").png()],
    ["image/webp", () => picture("red").webp()],
  ] as const)("is taken as %s and kept as JPEG", async (type, make) => {
    const { documentId, links } = await asked(made, { request_photos: true });
    const { status, body } = await upload(`${links[0]}/photos/selfie`, await make().toBuffer(), type);
    expect([status, body]).toEqual([200, { state: "pending", attempt: 1, reason: null }]);
    const event = (await made.eventsOf(`document-${documentId}`)).at(-1);
    if (event?.type !== "SelfieUploaded") throw new Error("not uploaded");
    expect(event).toMatchObject({
      data: { attempt: 1, validation: "pending", file: { mediaType: "image/jpeg" } },
      personal: { ip: "127.0.0.1" },
      metadata: { actor: "signer" },
    });
    const kept = await made.dependencies.files.get(documentId, event.data.file.sha256);
    expect(await sharp(kept).metadata()).toMatchObject({ format: "jpeg", width: 60, height: 40 });
  });

  test("of each kind is needed before the document can be signed", async () => {
    const { documentId, links } = await asked(made, { request_photos: true, validate_photos: false });
    const link = String(links[0]);
    const states: unknown[] = [];
    for (const kind of kinds) {
      const { body } = await upload(`${link}/photos/${kind}`, await jpeg("green"));
      states.push([body, (await made.get(link)).body.can_sign]);
    }
    const taken = { state: "approved", attempt: 1, reason: null };
    expect(states).toEqual([
      [taken, false],
      [taken, false],
      [taken, true],
    ]);
    expect((await made.get(link)).body.photos).toEqual({ selfie: taken, dni_frontal: taken, dni_trasera: taken });
    expect((await typesOf(made, documentId)).slice(2)).toEqual(["SelfieUploaded", "IdFrontUploaded", "IdBackUploaded"]);
    const { status } = await made.send("POST", `${link}/sign`, signature, { key: null });
    expect(status).toBe(200);
  });

  test("that is to be validated lets nobody sign before it is", async () => {
    const { links } = await asked(made, { request_photos: true });
    for (const kind of kinds) await upload(`${links[0]}/photos/${kind}`, await jpeg("green"));
    const { body } = await made.get(String(links[0]));
    expect([body.can_sign, body.photos.selfie.state]).toEqual([false, "pending"]);
  });

  test("on another plan than PRO is taken, and not validated", async () => {
    const { links } = await asked(made, { request_photos: true }, "basic");
    const { body } = await upload(`${links[0]}/photos/selfie`, await jpeg("green"));
    expect(body).toEqual({ state: "approved", attempt: 1, reason: null });
  });

  test("of a kind again replaces it, and every attempt is kept; the same again changes nothing", async () => {
    const { documentId, links } = await asked(made, { request_photos: true });
    const url = `${links[0]}/photos/dni_frontal`;
    const sent = [await jpeg("red"), await jpeg("blue"), await jpeg("blue")];
    const attempts: number[] = [];
    for (const bytes of sent) attempts.push((await upload(url, bytes)).body.attempt);
    expect(attempts).toEqual([1, 2, 2]);
    const events = (await made.eventsOf(`document-${documentId}`)).filter(({ type }) => type === "IdFrontUploaded");
    const hashes = events.map((event) => (event.type === "IdFrontUploaded" ? event.data.file.sha256 : ""));
    expect(new Set(hashes).size).toBe(2);
    for (const sha256 of hashes) await made.dependencies.files.get(documentId, sha256);
  });

  test.each([
    ["no image", Buffer.from("not an image"), "image/jpeg"],
    ["nothing", Buffer.alloc(0), "image/jpeg"],
    ["an SVG", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'), "image/png"],
    ["JSON", Buffer.from("{}"), "application/json"],
    ["a GIF", Buffer.from("R0lGODlhAQABAAAAACw=", "base64"), "image/gif"],
  ])("is a 400 when it is %s", async (_what, bytes, type) => {
    const { documentId, links } = await asked(made, { request_photos: true });
    const { status, body } = await upload(`${links[0]}/photos/selfie`, bytes, type);
    expect([status, body]).toEqual([400, UNREADABLE]);
    expect(await typesOf(made, documentId)).not.toContain("SelfieUploaded");
  });

  test("is a 413 when it is larger than allowed", async () => {
    const own = await world({ limits: { photoBytes: 1_000 } });
    const { links } = await asked(own, { request_photos: true });
    const { status, body } = await upload(`${links[0]}/photos/selfie`, Buffer.alloc(1_001), "image/jpeg", own);
    expect([status, body]).toEqual([413, { error: "Request body is larger than 1000 bytes" }]);
  });

  test("is a 400 for a kind that there is not, and a 404 for a link that there is not", async () => {
    const { links } = await asked(made, { request_photos: true });
    const other = await upload(`${links[0]}/photos/passport`, await jpeg("red"));
    expect([other.status, other.body.details[0].path]).toEqual([400, "kind"]);
    const unknown = await upload("/api/signing/x/photos/selfie", await jpeg("red"));
    expect([unknown.status, unknown.body]).toEqual([404, { error: "Unknown signing link", code: "unknown_link" }]);
  });
});

describe("a photo is refused, and nothing stored,", () => {
  const refuses = async (own: World, link: string, error: string, code: string) => {
    own.dependencies.files.put = () => Promise.reject(new Error("stored"));
    const { status, body } = await upload(`${link}/photos/selfie`, await jpeg("black"), "image/jpeg", own);
    expect([status, body]).toEqual([409, { error, code }]);
  };

  test("by a document that asks for none", async () => {
    const own = await world();
    const { links } = await asked(own);
    await refuses(own, String(links[0]), "The document asks for no photos", "photos_not_requested");
  });

  test("after the document's end", async () => {
    const own = await world();
    const { links } = await asked(own, { request_photos: true });
    await own.send("POST", `${links[0]}/reject`, { reason: "no" }, { key: null });
    await refuses(own, String(links[0]), "The document has ended", "document_ended");
  });

  test("after ten of its kind", async () => {
    const own = await world();
    const { links } = await asked(own, { request_photos: true });
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      const bytes = await jpeg(`rgb(${20 * attempt},${20 * attempt},${20 * attempt})`);
      const { body } = await upload(`${links[0]}/photos/selfie`, bytes, "image/jpeg", own);
      expect(body.attempt).toBe(attempt);
    }
    await refuses(own, String(links[0]), "This photo was sent too often", "too_many_photos");
  });
});
