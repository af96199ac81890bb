import { deflateSync } from "node:zlib";
import { systemClock } from "@rubrica/runtime";
import { openedEngine } from "@rubrica/test-kit/pdf/engine";
import { pdf, textAt } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { describe, expect, test } from "vitest";
import { admit } from "../src/admit.ts";
import { picture, sound } from "./picture.ts";

const { engine, identity } = await openedEngine();
const said = textAt(50, 700, "SaidHere");
const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");
const shownOtherwise = { reason: "shown_otherwise" };
/** Rows of eight bytes, each with the rule before it by which it is predicted. */
const predicted = (text: string) =>
  Buffer.from((text.padEnd(Math.ceil(text.length / 8) * 8).match(/.{8}/gs) ?? []).map((row) => `\0${row}`).join(""));
const flate = (data: Uint8Array) => latin1(deflateSync(data));
const inRows = flate(predicted(said));
const rows = "<</Predictor 12/Columns 8>>";
const oddHead = `\x78\0${flate(Buffer.from(said)).slice(2)}`;

/** A page that draws a form. */
const withForm = (entries: string, data: string) =>
  pdf({
    pages: [{ content: "/X Do", resources: "/XObject<</X 6 0 R>>" }],
    objects: [
      streamOf(data, `/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<</Font<</F1 3 0 R>>>>${entries}`),
      rows,
      streamOf("", "/Predictor 12/Columns 8"),
    ],
  });

describe("parameters that do not stand as their filters do", () => {
  test.each([
    ["a dictionary beside a list", `/Filter[/FlateDecode]/DecodeParms${rows}`, inRows, "[ << /Predictor 12"],
    ["one that stands elsewhere", "/Filter[/FlateDecode]/DecodeParms 7 0 R", inRows, "/DecodeParms [ 7 0 R ]"],
    ["a list beside a filter", `/Filter/FlateDecode/DecodeParms[${rows}]`, inRows, "/DecodeParms << /Predictor 12"],
    ["a list of nothing beside a filter", "/Filter/FlateDecode/DecodeParms[null]", flate(Buffer.from(said)), "/Filter"],
    ["by a short name", `/Filter/FlateDecode/DP${rows}`, flate(Buffer.from(said)), "/Filter"],
    ["a filter that is nothing", "/Filter null", said, "/Length"],
  ])("%s: they are written so that all readers take them", async (_, entries, data, left) => {
    const given = withForm(entries, data);
    const { bytes, disarmed } = await admit(given);
    expect(disarmed).toEqual(["shown_otherwise"]);
    expect(latin1(bytes ?? given).replace(/\s+/g, " ")).toContain(left);
    expect(latin1(bytes ?? given)).not.toMatch(/\/DP|null/);
    expect((await admit(bytes ?? given)).bytes).toBeNull();
    const signed = await engine.seal(given, { identity, sealedAt: systemClock.now() });
    await expect(admit(signed.bytes)).rejects.toMatchObject(shownOtherwise);
  });

  test.each<readonly [string, string]>([
    ["of one for two", `/Filter[/ASCIIHexDecode/FlateDecode]/DecodeParms${rows}`],
    ["of two for one", `/Filter/FlateDecode/DecodeParms[${rows}${rows}]`],
    ["of a filter that is none", "/Filter[null]"],
    ...["/Columns null", "/Columns(8)", "/Columns/8", "/Colors 33", "/BitsPerComponent 3", "/Columns 0"].map(
      (entries) => [`of rows by ${entries}`, `/Filter/FlateDecode/DecodeParms<</Predictor 12${entries}>>`] as const,
    ),
    ...["16", "99", "(12)", "null"].map(
      (rule) => [`by a predictor ${rule}`, `/Filter/FlateDecode/DecodeParms<</Predictor ${rule}/Columns 8>>`] as const,
    ),
    ["that are a stream", "/Filter/FlateDecode/DecodeParms 8 0 R"],
  ])("%s: refused", async (_, entries) => {
    await expect(admit(withForm(entries, inRows))).rejects.toMatchObject(shownOtherwise);
  });

  test.each([
    ["that are a number", "/Filter/FlateDecode/DecodeParms 1"],
    ["that are a text in a list", "/Filter[/FlateDecode]/DecodeParms[(x)]"],
    ...["/Colors -1", "/Columns 1000000000", "/BitsPerComponent -1"].map((entries) => [
      `of rows by ${entries} where nothing is predicted`,
      `/Filter/FlateDecode/DecodeParms<<${entries}>>`,
    ]),
  ])("%s are refused, though nothing is needed of them", async (_, entries) => {
    await expect(admit(withForm(entries as string, flate(Buffer.from(said))))).rejects.toMatchObject(shownOtherwise);
  });

  test.each([
    ["a filter and a dictionary", `/Filter/FlateDecode/DecodeParms${rows}`, inRows],
    ["lists of one", `/Filter[/FlateDecode]/DecodeParms[${rows}]`, inRows],
    ["no filter", `/DecodeParms${rows}`, said],
    ["a list of none", "/Filter[]", said],
  ])("%s stay", async (_, entries, data) => {
    expect((await admit(withForm(entries, data))).bytes).toBeNull();
  });
});

describe("data in Flate with an odd head, in which some readers find nothing", () => {
  test("are refused as a content", async () => {
    await expect(admit(withForm("/Filter/FlateDecode", oddHead))).rejects.toMatchObject(shownOtherwise);
  });

  test("are refused as a picture, however large", async () => {
    for (const height of [2, 40_000_000]) {
      const dots = Buffer.alloc(height === 2 ? 2 : 1024);
      const entries = { ...sound, Width: "2", Height: String(height), BitsPerComponent: "1", Filter: "/FlateDecode" };
      await expect(admit(picture(entries, `\x78\0${flate(dots).slice(2)}`))).rejects.toMatchObject(shownOtherwise);
    }
  });

  test("stay where their check alone is missing", async () => {
    const data = flate(Buffer.from(said)).slice(0, -4);
    expect((await admit(withForm("/Filter/FlateDecode", data))).bytes).toBeNull();
  });
});
