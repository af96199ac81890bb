import { eventually, toolsMissing } from "@rubrica/test-kit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { joinArena } from "./support/arena.ts";
import { type Canary, openCanary } from "./support/canary.ts";
import { harmless, reachingOut } from "./support/reaching-out.ts";

const arena = joinArena();
let canary: Canary;

beforeAll(async () => {
  canary = await openCanary();
});
afterAll(() => canary[Symbol.asyncDispose]());

let signer = 40_000_000;
/** What became of a template: why it was refused, or the PDF that was made of it (undefined when none could be). */
const preparedOf = async (docx: Buffer): Promise<{ refused?: string; pdf?: Buffer | undefined }> => {
  signer += 1;
  const { client } = arena;
  const answer = await client.send("POST", "/api/sendCargaMasiva", {
    document_type: "docx",
    document: docx.toString("base64"),
    firmante: { page: 1, position_x: 60, position_y: 650 },
    df: [{ "nombre y apellido": "Ana Paz", dni: "30123456", msg: `54911${signer}` }],
  });
  if (answer.status === 400) return { refused: answer.text };
  expect(answer.status, answer.text).toBe(200);
  const link = /https?:\/\/[^"]+\/s\/([\w-]+)/.exec(answer.text)?.[1] ?? "";
  const pdf = await eventually("the prepared PDF", async () => {
    const { status, bytes } = await client.read(`/api/signing/${link}/document`);
    return status === 200 ? { bytes } : status === 409 || status === 404 ? undefined : { bytes: undefined };
  });
  return { pdf: pdf.bytes };
};

describe.skipIf(toolsMissing("soffice", "pdftoppm", "pdftotext"))("a template", () => {
  describe("reads no file of the machine, and is refused", () => {
    test.each(Object.entries(reachingOut))("by %s", async (_what, make) => {
      for (const target of [canary.picture, canary.text]) {
        const { refused, pdf } = await preparedOf(make(target));
        if (pdf) expect(await canary.isSeenIn(pdf)).toBe(false);
        expect(refused).toBeDefined();
      }
    });
  });

  describe("reaches no address, and is refused", () => {
    test.each(Object.entries(reachingOut))("by %s", async (_what, make) => {
      const { refused } = await preparedOf(make(canary.address));
      expect(canary.visits()).toBe(0);
      expect(refused).toBeDefined();
    });
  });

  test.each(Object.entries(harmless))("with %s is taken, and reaches nothing", async (_what, make) => {
    for (const target of [canary.address, canary.picture]) {
      const { pdf } = await preparedOf(make(target));
      expect(pdf).toBeDefined();
      expect(pdf && (await canary.isSeenIn(pdf))).toBe(false);
    }
    expect(canary.visits()).toBe(0);
  });
});
